import {
  isDownKey,
  isEnterKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  useKeypress,
  useRef,
  useState,
} from '@inquirer/core';
import type { PromptTheme } from './prompt-theme.js';
import type { RecordedDrawing } from './record-drawing.js';
import { maxAnswerLength } from './run-prompt.js';
import type { TypeAhead } from './type-ahead.js';

/** Returns a theme with a hook that handles keys before the prompt does: a prompt reads its theme before its first hook. */
export function handleKeysFirst<Theme extends object>(theme: Theme, handleKeys: () => void): Theme {
  const prefix = Reflect.get(theme, 'prefix');
  const get = () => {
    handleKeys();
    return prefix;
  };
  return Object.defineProperty({ ...theme }, 'prefix', { get, enumerable: true });
}

/** Returns a theme that clears the line on a key that makes it too long, and calls `onTooLong` with that key. */
export function limitAnswer<Theme extends object>(
  theme: Theme,
  onTooLong: (key: KeypressEvent) => void = () => {},
): Theme {
  return handleKeysFirst(theme, () =>
    useKeypress((key, readline) => {
      if (readline.line.length <= maxAnswerLength) return;
      readline.clearLine(0);
      onTooLong(key);
    }),
  );
}

/** Keeps the active choice on keys such as Left, Esc and Ctrl-Z: the empty search text would match the first choice. */
export function useKeysWithoutText({ keybindings }: PromptTheme, leave: () => void): void {
  useKeypress((key, { line }) => {
    if (key.name === 'escape') leave();
    // Backspace clears the search text and moves nothing.
    const isListKey = isUpKey(key, keybindings) || isDownKey(key, keybindings) || isEnterKey(key);
    if (line === '' && !isListKey) key.name = 'backspace';
  });
}

/** Draws the prompt again after a key such as Home moves the cursor to another row: @inquirer/core moves it in its row. */
export function useCursorRows(): void {
  const last = useRef({ line: '', rows: 0 });
  const [, setMove] = useState<object>({});
  useKeypress((_, readline) => {
    const { line } = readline;
    const { rows } = readline.getCursorPos();
    const isMove = line === last.current.line && rows !== last.current.rows;
    last.current = { line, rows };
    if (isMove) setMove({});
  });
}

/** Draws the prompt over the echo of held keys, and releases them. */
export function useTypeAhead(typeAhead: TypeAhead, drawing: RecordedDrawing): void {
  const [, setRedrawn] = useState(false);
  useEffect(() => {
    // The other hooks of this drawing add their listeners first.
    const immediate = setImmediate(() => {
      if (typeAhead.hasKeys()) {
        drawing.erase();
        setRedrawn(true);
      }
      typeAhead.release();
    });
    return () => clearImmediate(immediate);
  }, []);
}
