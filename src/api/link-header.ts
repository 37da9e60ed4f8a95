/**
 * The target of the first link with this relation in a `Link` header (RFC 8288 §3), as written there:
 * absolute or relative. `undefined` when there is none. Commas and semicolons inside `<>` and quotes
 * belong to what they stand in.
 */
export function findLink(header: string | undefined, relation: string): string | undefined {
  if (header === undefined) return undefined;
  const alone = soleLink(header, relation);
  if (alone !== undefined) return alone;
  for (const [, target, parameters] of header.matchAll(linkValue)) {
    const rel = [...(parameters ?? '').matchAll(parameter)].find(
      ([, name]) => name?.toLowerCase() === 'rel',
    );
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target?.trim();
  }
  return undefined;
}

/** The target of a header written as `formatLink` does: to read any other takes two patterns, which V8 compiles first. */
function soleLink(header: string, relation: string): string | undefined {
  const end = header.indexOf('>');
  const target = header.slice(1, end);
  return header === formatLink(target, relation) && !target.includes('<')
    ? target.trim()
    : undefined;
}

export function formatLink(target: string, relation: string): string {
  return `<${target}>; rel="${relation}"`;
}

const linkValue =
  /<([^<>]*)>((?:\s*;\s*[^\s"=;,<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,<>]*))?)*)/g;
const parameter = /;\s*([^\s"=;,<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>]*)))?/g;
