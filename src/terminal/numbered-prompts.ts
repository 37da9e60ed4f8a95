import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { canceledError } from '../failure.js';
import { wrapMessage } from '../format/wrap.js';
import { PromptEscape } from './ask-in-order.js';
import type { PromptIo, Prompts } from './prompts.js';

/** A valid answer, or the error to show. */
type Parsed<Value> = { readonly value: Value } | string;

/** Returns prompts for screen readers and braille displays: whole lines, numbered choices, no redraws. */
export function openNumberedPrompts(io: PromptIo): Prompts {
  const wrap = (line: string) => wrapMessage(line, io.stderr.columns || undefined, '', '');
  const ask = async <Value>(
    lines: readonly string[],
    parse: (answer: string) => Parsed<Value>,
    { isSecret = false } = {},
  ): Promise<Value> => {
    for (let text = lines; ; ) {
      const parsed = parse(await readLine(io, text.map(wrap).join(''), isSecret));
      if (typeof parsed !== 'string') return parsed.value;
      text = [`Invalid answer: ${parsed}`];
    }
  };
  return {
    input: ({ message, validate, default: current = '' }) =>
      ask([current === '' ? message : `${message} (default: ${current})`], (answer) => {
        const value = answer === '' ? current : answer;
        return validate(value) ?? { value };
      }),
    password: ({ message, validate }) =>
      ask([`${message} (input is hidden)`], (value) => validate(value) ?? { value }, { isSecret: true }),
    select: ({ message, choices, default: current }) => {
      const usual = choices.find(({ value }) => value === current && current !== undefined) ?? choices[0];
      const numbered = choices.map(({ name }, index) => `${index + 1}) ${name}`);
      const range = `a number from 1 to ${choices.length}, or a name`;
      const help = `Enter ${range} (default: ${usual ? choices.indexOf(usual) + 1 : 1}):`;
      return ask([message, ...numbered, help], (answer) => {
        const text = answer.trim();
        const choice = /^\d{1,6}$/.test(text) ? choices[Number(text) - 1] : undefined;
        return (text === '' ? usual : (choice ?? choices.find(({ name }) => name === text))) ?? `enter ${range}`;
      });
    },
    confirm: ({ message, default: usual = true }) =>
      ask([`${message} (yes or no, default: ${usual ? 'yes' : 'no'})`], (answer) => {
        const word = answer.trim().toLowerCase();
        if (word === '') return { value: usual };
        return /^(y|yes|n|no)$/.test(word) ? { value: word.startsWith('y') } : 'enter yes or no';
      }),
  };
}

/** Prints a question and reads a line, which the terminal echoes and edits; a secret is read in raw mode without output. */
async function readLine({ stdin, stderr, signal }: PromptIo, question: string, isSecret: boolean): Promise<string> {
  const discard = new Writable({ write: (_, __, done) => done() });
  const reader = createInterface({ input: stdin, output: isSecret ? discard : stderr, terminal: isSecret });
  // Not before: the terminal would echo a secret.
  stderr.write(question);
  let lastKey: string | undefined;
  const onKey = (_: unknown, { name }: { readonly name?: string } = {}) => {
    if (name !== 'return' && name !== 'enter') lastKey = name;
  };
  if (isSecret) stdin.on('keypress', onKey);
  try {
    const line = await Promise.race([reader.question('', { signal }), rejectOnClose(reader)]);
    // The terminal edits the line, so Esc arrives with Enter.
    if (line === '\u001b' || (line === '' && lastKey === 'escape')) throw new PromptEscape();
    return line;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stdin.off('keypress', onKey);
    reader.close();
    if (isSecret) stderr.write('\n');
  }
}

/** Rejects on Ctrl-C, which raw mode does not turn into a signal, and at the end of input. */
function rejectOnClose(reader: Interface): Promise<never> {
  return new Promise((_, reject) => {
    const cancel = () => reject(canceledError());
    reader.on('SIGINT', cancel).on('close', cancel);
  });
}
