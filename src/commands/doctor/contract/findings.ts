/** Whether one response follows a rule of the API spec. */
export interface Finding {
  /** Section and name: `4.1 limit`. */
  readonly rule: string;
  readonly status: 'ok' | 'note' | 'broken' | 'not asked';
  readonly detail?: string;
}

/** All findings about one rule. Here `rule` is the name without the section. */
export type RuleResult = Finding & { readonly section: string };

/** Returns how the service fills a gap in the API spec. */
export function note(rule: string, detail: string): Finding {
  return { rule, status: 'note', detail };
}

export function violation(rule: string, detail: string): Finding {
  return { rule, status: 'broken', detail };
}

/** Returns a violation if there is a problem. */
export function checkRule(rule: string, problem?: string | false): Finding {
  return problem ? violation(rule, problem) : { rule, status: 'ok' };
}

/** Returns one result for each rule with the worst status of its findings, sorted by section. */
export function summarize(findings: readonly Finding[]): readonly RuleResult[] {
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return rules
    .map((rule) => mergeFindings(findings.filter((finding) => finding.rule === rule)))
    .toSorted((one, other) => Number(one.section) - Number(other.section));
}

const worstFirst: readonly Finding['status'][] = ['broken', 'note', 'not asked', 'ok'];
const maxDetails = 4;

function mergeFindings(findings: readonly Finding[]): RuleResult {
  const status = worstFirst.find((candidate) => findings.some((finding) => finding.status === candidate)) ?? 'ok';
  const worst = findings.filter((finding) => finding.status === status);
  const details = [...new Set(worst.flatMap(({ detail = '' }) => detail || []))];
  const hidden = details.length - maxDetails;
  const detail = [...details.slice(0, maxDetails), ...(hidden > 0 ? [`and ${hidden} more`] : [])];
  const [, section = '', rule = ''] = /^(\S+) (.*)$/.exec(findings[0]?.rule ?? '') ?? [];
  return { section, rule, status, ...(detail.length > 0 && { detail: detail.join('; ') }) };
}
