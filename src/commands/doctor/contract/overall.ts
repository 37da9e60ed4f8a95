import { findPlanByLimit } from '../../../api/plan.js';
import { classifyWindow, parseQuotaHeaders } from '../../../api/rate-limit-headers.js';
import { type Finding, note } from './findings.js';
import type { Seen } from './observations.js';

/** What shows in many answers together: which window the headers tell of, and whose plan that is. */
export function judgeTogether(seen: Seen): readonly Finding[] {
  // Another key has a quota of its own.
  const answers = [...seen].filter(([name]) => name !== 'key').map(([, answer]) => answer);
  const quotas = answers.map(({ headers, now, skew }) => parseQuotaHeaders(headers, now, skew));
  const [first] = quotas;
  const [answer] = answers;
  if (!first || !answer || first.limit === undefined || first.resetAt === undefined) return [];
  const window = classifyWindow(first.resetAt, answer.now);
  const name = findPlanByLimit(first.limit, window);
  const plan = name === undefined ? 'no plan has that limit: custom' : `that of ${name}`;
  const left = quotas.flatMap(({ remaining }) => remaining ?? []);
  const isCounted = left.length < 2 || new Set(left).size > 1;
  return [
    note('8.2', 'window', `the headers tell of a ${window}: ${first.limit} requests`),
    note('8.1', 'plan', plan),
    ...(isCounted ? [] : [note('8.2', 'counting', `${left[0]} requests are left after each`)]),
  ];
}
