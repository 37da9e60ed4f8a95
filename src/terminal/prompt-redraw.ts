import { useEffect, useRef, useState } from '@inquirer/core';
import type { JobControl } from './job-control.js';
import { markPaste, unmarkPaste } from './paste.js';
import type { MeasureWidth, RecordedDrawing } from './record-drawing.js';

interface RedrawOptions {
  readonly stderr: NodeJS.WriteStream;
  readonly jobControl: JobControl;
  readonly drawing: RecordedDrawing;
  /** Resolves to nothing if a resize wraps no lines. */
  readonly loadMeasureWidth: () => Promise<MeasureWidth | undefined>;
  /** Called if other output is above the prompt now, to draw the earlier answers again. */
  readonly onResume: () => void;
}

const showCursor = '\u001b[?25h';

/** Draws a prompt again after a resize, and after Ctrl-Z and `fg`. Call this with each drawing. */
export function useRedraw({ stderr, jobControl, drawing, loadMeasureWidth, onResume }: RedrawOptions): void {
  const [, setDrawings] = useState(0);
  const measureWidth = useRef<MeasureWidth | undefined>(undefined);
  const load = async () => {
    measureWidth.current ??= await loadMeasureWidth();
  };
  useEffect(() => {
    let isClosed = false;
    const redraw = () => {
      if (!isClosed) setDrawings((count) => count + 1);
    };
    const onResize = async () => {
      // Without `await`, the drawing that has just refreshed the size erases nothing itself.
      if (!measureWidth.current) await load();
      if (isClosed) return;
      drawing.erase(measureWidth.current);
      queueMicrotask(redraw);
    };
    const suspend = () => {
      drawing.suspend();
      stderr.write(showCursor + unmarkPaste);
    };
    const resume = () => {
      stderr.write(markPaste);
      onResume();
      drawing.resume();
      redraw();
    };
    const remove = jobControl.add({ suspend, resume });
    stderr.on('resize', onResize);
    return () => {
      isClosed = true;
      stderr.off('resize', onResize);
      remove();
    };
  }, []);
  // A process handles keys before the signal of a resize. The prompt would then erase the rows that it had at the old width.
  jobControl.refreshSize();
  // Not with the first drawing, which must appear soon.
  if (drawing.lines().length > 0) void load();
}
