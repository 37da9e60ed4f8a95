import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { canceledError } from '../failure.js';
import { wrapMessage } from '../format/wrap.js';
import { PromptEscape } from './ask-in-order.js';
import { dropInput } from './drop-input.js';
import { type PromptIo, type Prompts, runPrompt } from './run-prompt.js';

/** A valid answer, or the error to show. */
type Parsed<Value> = { readonly value: Value } | string;

/** Returns prompts for screen readers and braille displays: whole lines, numbered choices, no redraws. */
export function openNumberedPrompts(io: PromptIo): Prompts {
  const buffered: string[] = [];
  const unprinted: string[] = [];
  const print = (line: string) => void unprinted.push(wrapMessage(line, io.stderr.columns || undefined, { rest: '' }));
  const askUntilValid = async <Value>(
    parse: (answer: string) => Parsed<Value> | Promise<Parsed<Value>>,
    kind: LineKind = 'text',
  ): Promise<Value> => {
    for (;;) {
      const answerText = await readLine(io, { kind, buffered, unprinted });
      const parsed = await parse(answerText);
      if (typeof parsed !== 'string') return parsed.value;
      print(parsed);
    }
  };
  const list = (names: readonly string[]) => {
    for (const [index, name] of names.entries()) print(`${index + 1}) ${name}`);
  };
  return {
    input: async ({ message, validate, default: current = '' }) => {
      print(current === '' ? message : `${message} (default: ${current})`);
      return askUntilValid((answerText) => {
        const value = answerText === '' ? current : answerText;
        return rejection(validate(value)) ?? { value };
      });
    },
    password: async ({ message, validate }) => {
      print(`${message} (input is hidden)`);
      return askUntilValid((answerText) => rejection(validate(answerText)) ?? { value: answerText }, 'secret');
    },
    select: async ({ message, choices, default: current }) => {
      const defaultIndex = Math.max(
        0,
        choices.findIndex(({ value }) => value === current && current !== undefined),
      );
      print(message);
      list(choices.map(({ name }) => name));
      print(`Enter a number from 1 to ${choices.length}, or a name (default: ${defaultIndex + 1}):`);
      return askUntilValid((answerText) => {
        const text = answerText.trim();
        const choice = choices[text === '' ? defaultIndex : toIndex(text)] ?? choices.find(({ name }) => name === text);
        return choice ?? `Invalid answer: enter a number from 1 to ${choices.length}, or a name`;
      });
    },
    confirm: async ({ message, default: defaultAnswer = true }) => {
      print(`${message} (yes or no, default: ${defaultAnswer ? 'yes' : 'no'})`);
      return askUntilValid((answerText) => {
        const word = answerText.trim().toLowerCase();
        if (word === '') return { value: defaultAnswer };
        if (word === 'y' || word === 'yes') return { value: true };
        if (word === 'n' || word === 'no') return { value: false };
        return 'Invalid answer: enter yes or no';
      }, 'confirmation');
    },
  };
}

function rejection(problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `Invalid answer: ${problem}`;
}

/** Returns the index for a number that counts from 1; -1 for any other text. */
function toIndex(text: string): number {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) - 1 : -1;
}

/** Only a line that is typed after the question is printed is a confirmation. */
type LineKind = 'text' | 'secret' | 'confirmation';

interface LineOptions {
  readonly kind: LineKind;
  /** Lines that arrived together with an earlier one. */
  readonly buffered: string[];
  /** Lines to print once signals are deferred and echo is off. */
  readonly unprinted: string[];
}

async function readLine(io: PromptIo, options: LineOptions): Promise<string> {
  if (options.kind === 'confirmation') {
    options.buffered.splice(0);
    await dropInput(io);
  }
  const line = await runPrompt(io, (signal) => readTypedLine(io, options, signal));
  // The terminal edits the line, so Esc arrives with Enter.
  if (line === '\u001b') throw new PromptEscape();
  return line;
}

/** Reads a line that the terminal echoes and edits; a secret is read in raw mode without output. */
function readTypedLine({ stdin, stderr }: PromptIo, options: LineOptions, signal: AbortSignal): Promise<string> {
  const { kind, buffered, unprinted } = options;
  const isSecret = kind === 'secret';
  const discard = new Writable({ write: (_, __, done) => done() });
  const reader = createInterface({
    input: stdin,
    ...(isSecret && { output: discard }),
    terminal: isSecret,
  });
  stderr.write(unprinted.splice(0).join(''));
  let onKey: (_: unknown, key?: { readonly name?: string; readonly meta?: boolean }) => void = () => {};
  return new Promise<string>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const onClose = () => reject(canceledError());
    reader.on('SIGINT', onClose);
    // A secret is read in raw mode, which does not add Esc to the line.
    let isEscaped = false;
    onKey = (_, { name, meta } = {}) => {
      if (isSecret && (isEscaped || meta) && (name === 'return' || name === 'enter')) reject(new PromptEscape());
      isEscaped = name === 'escape';
    };
    // The reader ends the line on the same key, so this listener comes first.
    stdin.prependListener('keypress', onKey);
    // Reads of a secret are in raw mode, in which Ctrl-D on an empty line closes the reader only.
    if (isSecret) reader.on('close', onClose);
    const first = buffered.shift();
    let isAnswered = first !== undefined;
    if (first !== undefined) resolve(first);
    reader.on('line', (line) => {
      if (isAnswered) buffered.push(line);
      else resolve(line);
      isAnswered = true;
    });
  }).finally(() => {
    stdin.off('keypress', onKey);
    reader.close();
    if (isSecret) stderr.write('\n');
  });
}
