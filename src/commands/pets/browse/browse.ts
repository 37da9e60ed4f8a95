import type { AppContext } from '../../../app/context.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { getTargetFlags } from '../../../config/settings.js';
import { Failure, usageError } from '../../../failure.js';
import { addEnableHint } from '../../../terminal/prompter.js';
import { openController } from './controller.js';

/** Shows the pets on the full screen until the user quits; loads a page only when the user asks for it. */
export async function browse(context: AppContext): Promise<CommandResult> {
  const screen = await context.terminal.openScreen();
  const { isInteractive, disableReason } = screen;
  if (!isInteractive) {
    const list = { words: ['pets', 'list', ...getTargetFlags(context.flags)] };
    throw usageError(
      'no_terminal',
      `pets browse ${disableReason ? `is disabled, because ${disableReason.clause}` : 'requires an interactive terminal'}`,
      addEnableHint(['run ', list, ' instead'], disableReason),
    );
  }
  const notices: string[] = [];
  const quit = new AbortController();
  const controller = await openController(context, screen, notices, quit.signal);
  const run = async () => {
    while ((await controller.show()) === 'add') await controller.add();
  };
  const [result] = await Promise.allSettled([run()]);
  quit.abort(new Failure('canceled', { code: 'cancelled', message: 'canceled', signal: 'SIGINT' }));
  const lostCreate = await controller.finishRequests();
  for (const text of notices) context.terminal.notice(text);
  // Takes precedence over other errors: the user must learn that a pet may exist.
  if (lostCreate) throw lostCreate;
  if (result.status === 'rejected') throw toSilentFailure(result.reason);
  return { kind: 'nothing' };
}

/** Ctrl-C is a usual way to leave a full screen: it needs no message. */
function toSilentFailure(reason: unknown): unknown {
  if (!(reason instanceof Failure) || reason.details.signal !== 'SIGINT') return reason;
  return new Failure(reason.kind, { ...reason.details, isSilent: true });
}
