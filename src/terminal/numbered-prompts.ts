import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { canceledError } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import {
  inputTooLong,
  maxAnswerLength,
  type PromptIo,
  type Prompts,
  runPrompt,
} from './run-prompt.js';

/** How many names of a list are told at once. */
const mostTold = 20;

/** Questions for who hears the terminal or feels it: whole lines, choices by number, nothing drawn anew. */
export function openNumberedPrompts(person: PromptIo): Prompts {
  const early: string[] = [];
  const unsaid: string[] = [];
  const say = (line: string) => void unsaid.push(`${toSafeText(line)}\n`);
  const answer = (isSecret = false) => readLine(person, { isSecret, early, unsaid });
  const until = async <Value>(
    parse: (answer: string) => { readonly value: Value } | string,
    read: () => Promise<string> = answer,
  ): Promise<Value> => {
    for (;;) {
      const parsed = parse(await read());
      if (typeof parsed !== 'string') return parsed.value;
      say(parsed);
    }
  };
  const list = (names: readonly string[]) => {
    for (const [index, name] of names.entries()) say(`${index + 1}) ${name}`);
  };
  return {
    input: async ({ message, validate }) => {
      say(message);
      return until((given) => refusal(validate(given)) ?? { value: given });
    },
    password: async ({ message, validate }) => {
      say(`${message} (nothing shows what is typed)`);
      return until(
        (given) => refusal(validate(given)) ?? { value: given },
        () => answer(true),
      );
    },
    select: async ({ message, choices, default: current }) => {
      const usual = Math.max(
        0,
        choices.findIndex(({ value }) => value === current && current !== undefined),
      );
      say(message);
      list(choices.map(({ name }) => name));
      say(`Number from 1 to ${choices.length}, or Enter for ${usual + 1}:`);
      return until((given) => {
        const choice = choices[given.trim() === '' ? usual : numberIn(given)];
        return choice ?? `Not accepted: it must be a number from 1 to ${choices.length}`;
      });
    },
    search: async ({ message, choices }) => {
      say(message);
      say(`Part of the name, or Enter for all ${choices.length}:`);
      let told: typeof choices = [];
      return until((given) => {
        const chosen = told[numberIn(given)];
        if (chosen) return chosen;
        const part = given.trim().toLowerCase();
        const found = choices.filter(({ name }) => name.toLowerCase().includes(part));
        if (found.length === 0) return 'No name holds that. Another part of it:';
        told = found.slice(0, mostTold);
        list(told.map(({ name }) => name));
        const others = found.length - told.length;
        const rest = others > 0 ? `${others} more are not told. ` : '';
        const numbers = told.length === 1 ? '1' : `from 1 to ${told.length}`;
        return `${rest}Number ${numbers}, or another part of the name:`;
      });
    },
    confirm: async ({ message, default: usual = true }) => {
      say(`${message} (yes or no; Enter is ${usual ? 'yes' : 'no'})`);
      return until((given) => {
        const word = given.trim().toLowerCase();
        if (word === '') return { value: usual };
        if (word === 'y' || word === 'yes') return { value: true };
        if (word === 'n' || word === 'no') return { value: false };
        return 'Not accepted: answer yes or no';
      });
    },
  };
}

function refusal(problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `Not accepted: ${problem}`;
}

/** The place in a list that counts from 1; one that is in no list for any other text. */
function numberIn(text: string): number {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) - 1 : -1;
}

interface Talk {
  readonly isSecret: boolean;
  /** Lines that came with an earlier one, and answer first. */
  readonly early: string[];
  /** What is to be said once somebody attends: Ctrl-C is an answer too, and a secret is not shown by then. */
  readonly unsaid: string[];
}

/** The next line that is typed. */
async function readLine(person: PromptIo, talk: Talk): Promise<string> {
  const line = await runPrompt(person, ({ signal }) => typed(person, talk, signal));
  if (line.length > maxAnswerLength) throw inputTooLong();
  return line;
}

/** The terminal itself shows and mends a line; what must not be shown is taken key by key, and written nowhere. */
function typed({ stdin, stderr }: PromptIo, talk: Talk, signal: AbortSignal): Promise<string> {
  const { isSecret, early, unsaid } = talk;
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const reader = createInterface({
    input: stdin,
    ...(isSecret && { output: nowhere }),
    terminal: isSecret,
  });
  stderr.write(unsaid.splice(0).join(''));
  return new Promise<string>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    reader.on('SIGINT', () => reject(canceledError()));
    const first = early.shift();
    let isAnswered = first !== undefined;
    if (first !== undefined) resolve(first);
    reader.on('line', (line) => {
      if (isAnswered) early.push(line);
      else resolve(line);
      isAnswered = true;
    });
  }).finally(() => {
    reader.close();
    if (isSecret) stderr.write('\n');
  });
}
