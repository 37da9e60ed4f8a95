import type { AppContext } from '../../../app/context.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { Failure, usageError } from '../../../failure.js';
import { openSession } from './controller.js';

/** Shows the store on the whole terminal until one quits; reads no page that nobody asked for. */
export async function browse(context: AppContext): Promise<CommandResult> {
  const screen = await context.terminal.openScreen();
  if (!screen.isInteractive) {
    throw usageError(
      'no_terminal',
      'pets browse needs a terminal that it may draw on, and someone there to ask',
      'petstore pets list shows the same as lines',
    );
  }
  const told: string[] = [];
  const over = new AbortController();
  const session = await openSession(context, screen, told, over.signal);
  const failed = await showAll(session).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  over.abort(new Failure('canceled', { code: 'cancelled', message: 'quit', signal: 'SIGINT' }));
  const doubt = await session.settled();
  for (const text of told) context.terminal.notice(text);
  // Whether a pet was added must be told, though nobody waited for it.
  if (doubt) throw doubt;
  if (failed) throw failed.error;
  return { kind: 'nothing' };
}

async function showAll({ show, add }: Awaited<ReturnType<typeof openSession>>): Promise<void> {
  while ((await show()) === 'add') await add();
}
