import { maxRequestsVariable } from '../config/environment.js';
import { Failure } from '../failure.js';

/** The requests that one command may send, retries included, on all its connections. */
export interface RequestBudget {
  readonly isUsedUp: boolean;
  /** Takes one request. Throws (rate-limited) if none is left; `reason` says why a request would be sent again. */
  take(reason?: string): void;
  /** Returns a request that was not sent. */
  giveBack(): void;
}

/** Opens a budget. `origin` says whether the flag or the environment variable sets the maximum. */
export function openRequestBudget(maxRequests: number, origin: 'flag' | 'environment'): RequestBudget {
  let left = maxRequests;
  return {
    get isUsedUp() {
      return left === 0;
    },
    take: (reason) => {
      if (left === 0) throw createBudgetFailure(maxRequests, origin, reason);
      left -= 1;
    },
    giveBack: () => {
      left += 1;
    },
  };
}

function createBudgetFailure(maxRequests: number, origin: 'flag' | 'environment', reason: string | undefined): Failure {
  const [name, separator] = origin === 'flag' ? ['--max-requests', ' '] : [maxRequestsVariable, '='];
  const cause = reason === undefined ? '' : `, and a retry is needed (${reason})`;
  return new Failure('rate-limited', {
    code: 'request_budget',
    message: `the limit of ${name}${separator}${maxRequests} is reached${cause}`,
    hint: `increase ${name}`,
  });
}
