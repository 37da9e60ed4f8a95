import { ignoreKey, type ReadlineKey } from './readline-key.js';

/** Makes the terminal mark pasted text (bracketed paste). */
export const markPaste = '\u001b[?2004h';
export const unmarkPaste = '\u001b[?2004l';

/**
 * Turns text that the terminal marks as pasted into one key named `paste` without line breaks, until the returned function
 * is called: Enter would submit the first line and drop the others. Call this before other listeners are added.
 */
export function joinPastedLines(stdin: NodeJS.ReadStream): () => void {
  let pasted: string | undefined;
  const end = () => {
    const sequence = (pasted ?? '').replace(/^[\r\n]+|[\r\n]+$/g, '').replace(/\s*[\r\n]+\s*/g, ' ');
    pasted = undefined;
    if (sequence !== '') stdin.emit('keypress', sequence, { name: 'paste', sequence });
  };
  const onKey = (_: unknown, key: ReadlineKey = {}) => {
    const isInterrupt = key.ctrl && key.name === 'c';
    if (key.name === 'paste-start') pasted = '';
    else if (pasted === undefined || isInterrupt) return;
    else if (key.name === 'paste-end') end();
    else pasted += key.sequence ?? '';
    ignoreKey(key);
  };
  stdin.on('keypress', onKey);
  return () => stdin.off('keypress', onKey);
}
