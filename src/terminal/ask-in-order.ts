import { canceledError, Failure } from '../failure.js';

/** Thrown by a prompt on Esc. It cancels the command unless `askInOrder` repeats an earlier question. */
export class PromptEscape extends Failure {
  constructor() {
    super('canceled', canceledError().details);
  }
}

/** One question of a sequence. */
export interface PromptStep {
  /** False if the answer is known, such as from a flag. */
  readonly isNeeded?: () => boolean;
  /** Prompts and saves the answer. */
  readonly ask: () => Promise<void>;
}

/** Asks questions one after the other. Esc goes back to the question that was asked before; at the first one it cancels. */
export async function askInOrder(steps: readonly PromptStep[]): Promise<void> {
  const askedSteps: number[] = [];
  let index = 0;
  for (;;) {
    const step = steps[index];
    if (!step) return;
    if (step.isNeeded?.() === false) {
      index += 1;
      continue;
    }
    try {
      await step.ask();
      askedSteps.push(index);
      index += 1;
    } catch (error) {
      const previous = error instanceof PromptEscape ? askedSteps.pop() : undefined;
      if (previous === undefined) throw error;
      index = previous;
    }
  }
}
