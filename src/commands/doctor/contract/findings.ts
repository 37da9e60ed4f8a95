import type { Check } from '../format-checks.js';

/** The section of `openapi.yaml` that each rule cites, as a JSON pointer (RFC 6901). Results are in this order. */
export const ruleSections = {
  'JSON bodies': '/info/description',
  list: '/paths/~1pets/get',
  limit: '/paths/~1pets/get/parameters/0',
  'limit=0': '/paths/~1pets/get/parameters/0',
  'limit=101': '/paths/~1pets/get/parameters/0',
  'maximum limit': '/paths/~1pets/get/parameters/0',
  'status filter': '/paths/~1pets/get/parameters/1',
  paging: '/components/headers/Link',
  'next page': '/paths/~1pets/get/parameters/2',
  create: '/paths/~1pets/post',
  'round trip': '/paths/~1pets/post/responses/201',
  'default status': '/components/schemas/NewPet/properties/status',
  get: '/paths/~1pets~1{petId}/get',
  'missing pet': '/components/responses/NotFound',
  'deprecation headers': '/components/headers/Deprecation',
  removal: '/components/responses/Gone',
  orders: '/paths/~1store~1orders/get',
  pets: '/components/schemas/Pet',
  'unique ids': '/components/schemas/Pet/properties/id',
  'exact numbers': '/components/schemas/Pet',
  'error bodies': '/components/schemas/Error',
  'error codes': '/components/schemas/Error/properties/code',
  'server errors': '/components/responses/ServerError',
  'invalid API key': '/components/responses/Unauthorized',
  'rate-limit headers': '/components/headers/X-RateLimit-Limit',
  window: '/components/headers/X-RateLimit-Limit',
  plan: '/components/headers/X-RateLimit-Limit',
  counting: '/components/headers/X-RateLimit-Remaining',
  'reset time': '/components/headers/X-RateLimit-Reset',
  'Retry-After': '/components/headers/Retry-After',
} as const;

export type Rule = keyof typeof ruleSections;

const rules = Object.keys(ruleSections) as readonly Rule[];

/** Whether one response follows a rule of the API spec. */
export interface Finding {
  readonly rule: Rule;
  readonly status: Check['status'];
  readonly detail?: string;
}

/** All findings about one rule. */
export type RuleResult = Finding & { readonly section: string };

/** Returns how the service fills a gap in the API spec. */
export function note(rule: Rule, detail: string): Finding {
  return { rule, status: 'ok', detail };
}

/** Returns what the API spec permits, but clients do not expect. */
export function concern(rule: Rule, detail: string): Finding {
  return { rule, status: 'warning', detail };
}

export function violation(rule: Rule, detail: string): Finding {
  return { rule, status: 'failed', detail };
}

/** Returns a rule that could not be checked. */
export function unchecked(rule: Rule, detail?: string): Finding {
  return { rule, status: 'skipped', ...(detail !== undefined && { detail }) };
}

/** Returns a violation if there is a problem. */
export function checkRule(rule: Rule, problem?: string | false): Finding {
  return problem ? violation(rule, problem) : { rule, status: 'ok' };
}

/** Returns one result for each rule with the worst status of its findings, in the order of `ruleSections`. */
export function summarize(findings: readonly Finding[]): readonly RuleResult[] {
  return rules.flatMap((rule) => {
    const found = findings.filter((finding) => finding.rule === rule);
    return found.length === 0 ? [] : [mergeFindings(rule, found)];
  });
}

const worstFirst: readonly Finding['status'][] = ['failed', 'warning', 'skipped', 'ok'];
const maxDetails = 4;

function mergeFindings(rule: Rule, findings: readonly Finding[]): RuleResult {
  const status = worstFirst.find((candidate) => findings.some((finding) => finding.status === candidate)) ?? 'ok';
  const worst = findings.filter((finding) => finding.status === status);
  const details = [...new Set(worst.flatMap(({ detail = '' }) => detail || []))];
  const hidden = details.length - maxDetails;
  const detail = [...details.slice(0, maxDetails), ...(hidden > 0 ? [`and ${hidden} more`] : [])];
  const section = `openapi.yaml#${ruleSections[rule]}`;
  return { section, rule, status, ...(detail.length > 0 && { detail: detail.join('; ') }) };
}
