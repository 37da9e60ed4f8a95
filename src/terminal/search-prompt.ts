import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  useEffect,
  useKeypress,
  useMemo,
  usePrefix,
  useState,
} from '@inquirer/core';
import { wrapText } from '../format/definition-list.js';
import { truncateToWidth } from '../format/display-width.js';
import { formatNumber } from '../format/duration.js';
import { toSafeText } from '../format/safe-text.js';
import { getPageSize, type PromptTheme } from './prompt-theme.js';
import { type Choice, findChoices, type SearchQuestion } from './run-prompt.js';

interface SearchConfig {
  readonly question: SearchQuestion<unknown>;
  readonly theme: PromptTheme;
  readonly stderr: NodeJS.WriteStream;
  readonly style: { readonly dim: (text: string) => string };
  /** Called with an error of loading. */
  readonly abort: (reason: unknown) => void;
}

/** In UTF-16 units: names are shorter, and the list needs the rows. */
const maxFilterLength = 200;

const spinner = { interval: 80, frames: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'] };

/**
 * Shows a list that narrows as the user types. A filter, or a move past the end, loads every choice in the background: the
 * search of @inquirer/prompts cannot show choices that arrive later.
 */
export const searchPrompt = createPrompt<unknown, SearchConfig>((config, done) => {
  const { question, theme, stderr, style, abort } = config;
  const { message, choices, loadMore, describeChoices } = question;
  const [answer, setAnswer] = useState<Choice<unknown> | undefined>(undefined);
  const [filter, setFilter] = useState('');
  const [position, setPosition] = useState(0);
  const [isTooLong, setIsTooLong] = useState(false);
  const [isLoading, setIsLoading] = useState(false);
  const [count, setCount] = useState(choices.length);
  const status = answer ? 'done' : isLoading ? 'loading' : 'idle';
  const prefix = usePrefix({ status, theme: { ...theme, spinner } as never });
  const results = useMemo(() => findChoices(choices, filter), [filter, count]);
  const last = Math.max(0, results.length - 1);
  // The position after End is infinite: it follows the choices that are loaded.
  const active = Math.min(position, last);
  useEffect(() => {
    let isClosed = !isLoading;
    const load = async () => {
      while (!isClosed && (await loadMore?.()) && !isClosed) setCount(choices.length);
      if (isClosed) return;
      setCount(choices.length);
      setIsLoading(false);
    };
    void load().catch(abort);
    return () => {
      isClosed = true;
    };
  }, [isLoading]);
  const moveTo = (target: number) => {
    setPosition(Math.max(0, target === Number.POSITIVE_INFINITY ? target : Math.min(target, last)));
    if (target > last) setIsLoading(true);
  };
  const pageSize = getPageSize(stderr);
  useKeypress((key, readline) => {
    setIsTooLong(false);
    if (isEnterKey(key)) {
      const chosen = results[active];
      // Enter has cleared the line.
      readline.write(filter);
      setAnswer(chosen);
      if (chosen) done(chosen.value);
    } else if (isUpKey(key, theme.keybindings)) moveTo(active - 1);
    else if (isDownKey(key, theme.keybindings)) moveTo(active + 1);
    else if (key.name === 'pageup') moveTo(active - pageSize);
    else if (key.name === 'pagedown') moveTo(active + pageSize);
    else if (key.name === 'home' || key.name === 'end') {
      // Readline has moved the text cursor, which is the task of Ctrl-A and Ctrl-E.
      readline.clearLine(0);
      readline.write(filter);
      moveTo(key.name === 'home' ? 0 : Number.POSITIVE_INFINITY);
    } else if (readline.line.length > maxFilterLength) {
      readline.clearLine(0);
      readline.write(filter);
      setIsTooLong(true);
    } else if (readline.line !== filter) {
      setFilter(readline.line);
      setPosition(0);
      if (readline.line.trim() !== '') setIsLoading(true);
    }
  });
  // The animation of the prefix ends with a later drawing.
  const head = `${answer ? theme.prefix.done : prefix} ${theme.style.message(message)}`;
  if (answer) return `${head} ${theme.style.answer(toSafeText(answer.name))}`;
  const width = (stderr.columns || 80) - 1;
  const first = Math.max(0, Math.min(active - Math.floor(pageSize / 2), results.length - pageSize));
  const list = results.slice(first, first + pageSize).map(({ name }, index) => {
    const isActive = first + index === active;
    const line = truncateToWidth(toSafeText(`${isActive ? '❯' : ' '} ${name}`), width);
    return isActive ? theme.style.highlight(line) : line;
  });
  const matches =
    results.length === 1 ? '1 match' : `${results.length === 0 ? 'no' : formatNumber(results.length)} matches`;
  const summary = `${filter.trim() === '' ? '' : `${matches} in `}${describeChoices()}`;
  const tips = theme.style.keysHelpTip([
    ['type', 'to filter'],
    ['↑↓', 'navigate'],
    ['⏎', 'select'],
  ]);
  const note = isTooLong
    ? theme.style.error(`the filter must not exceed ${maxFilterLength} characters`)
    : style.dim(wrapText(toSafeText(summary), '', width).trimEnd());
  const body = [...list, note, tips].filter((line) => line !== '');
  return [`${head} ${toSafeText(filter)}`, body.join('\n')];
});
