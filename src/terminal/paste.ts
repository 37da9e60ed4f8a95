/** Makes the terminal mark pasted text (bracketed paste). */
export const markPaste = '\u001b[?2004h';
export const unmarkPaste = '\u001b[?2004l';

interface PastedKey {
  name?: string | undefined;
  sequence?: string;
  ctrl?: boolean;
  meta?: boolean;
  shift?: boolean;
}

/**
 * Turns pasted text into one key named `paste` without line breaks, until the returned function is called: Enter would
 * submit the first line and drop the others. Call this before other listeners are added.
 */
export function joinPastedLines(stdin: NodeJS.ReadStream): () => void {
  let pasted: string | undefined;
  // Lines that were typed before the prompt was drawn are not pasted: it discards them.
  let isOpen = false;
  setImmediate(() => {
    isOpen = true;
  });
  const end = () => {
    const sequence = (pasted ?? '').replace(/^[\r\n]+|[\r\n]+$/g, '').replace(/\s*[\r\n]+\s*/g, ' ');
    pasted = undefined;
    if (sequence !== '') stdin.emit('keypress', sequence, { name: 'paste', sequence });
  };
  const onData = (chunk: Uint8Array | string) => {
    if (!isOpen || pasted !== undefined || !isUnmarkedPaste(String(chunk))) return;
    pasted = '';
    setImmediate(end);
  };
  const onKey = (_: unknown, key: PastedKey = {}) => {
    const isInterrupt = key.ctrl && key.name === 'c';
    if (key.name === 'paste-start') pasted = '';
    else if (pasted === undefined || isInterrupt) return;
    else if (key.name === 'paste-end') end();
    else pasted += key.sequence ?? '';
    // Readline ignores unknown keys with Ctrl.
    Object.assign(key, { name: undefined, sequence: '', ctrl: true, meta: false, shift: false });
  };
  stdin.prependListener('data', onData).on('keypress', onKey);
  return () => stdin.off('data', onData).off('keypress', onKey);
}

/** Returns whether text that arrived at once was pasted into a terminal that cannot mark it: a line break before text. */
function isUnmarkedPaste(text: string): boolean {
  return /[\r\n][^\r\n]/.test(text) && !/[^\P{Cc}\t\r\n]/u.test(text);
}
