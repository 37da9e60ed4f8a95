/** What one rule of the interface is like here: kept, filled where it is open, or broken. */
export interface Finding {
  /** Of the interface. */
  readonly section: string;
  readonly rule: string;
  readonly status: 'ok' | 'note' | 'broken' | 'not asked';
  readonly detail?: string;
}

export function ok(section: string, rule: string): Finding {
  return { section, rule, status: 'ok' };
}

export function note(section: string, rule: string, detail: string): Finding {
  return { section, rule, status: 'note', detail };
}

export function broken(section: string, rule: string, detail: string): Finding {
  return { section, rule, status: 'broken', detail };
}

/** Kept, or broken in this way. */
export function unless(
  problem: string | false | undefined,
  section: string,
  rule: string,
): Finding {
  return problem ? broken(section, rule, problem) : ok(section, rule);
}

/** One line for each rule, in the interface's order: what is broken anywhere is broken. */
export function summarize(findings: readonly Finding[]): readonly Finding[] {
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.section} ${finding.rule}`;
    rules.set(key, [...(rules.get(key) ?? []), finding]);
  }
  return [...rules.values()]
    .map(merge)
    .toSorted((one, other) => compareSections(one.section, other.section));
}

const worst: readonly Finding['status'][] = ['broken', 'note', 'not asked', 'ok'];

function merge(findings: readonly Finding[]): Finding {
  const status = worst.find((each) => findings.some((finding) => finding.status === each)) ?? 'ok';
  const [first, ...others] = findings.filter((finding) => finding.status === status);
  const { section, rule } = first as Finding;
  const details = new Set([first, ...others].map((finding) => finding?.detail).filter(Boolean));
  const told = [...details].slice(0, most).join('; ');
  const left = details.size - most;
  const detail = left > 0 ? `${told}; and ${left} more` : told;
  return { section, rule, status, ...(detail !== '' && { detail }) };
}

/** Of the ways in which one rule is broken. */
const most = 4;

function compareSections(one: string, other: string): number {
  const [a, b] = [one, other].map((section) => section.split('.').map(Number));
  for (let at = 0; at < 2; at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
