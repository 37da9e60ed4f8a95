const linkValue =
  /<([^<>]*)>((?:\s*;\s*[^\s"=;,<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,<>]*))?)*)/g;
const parameter = /;\s*([^\s"=;,<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>]*)))?/g;

/**
 * Returns the target of the first link with this relation in a `Link` header (RFC 8288 §3). The target may be absolute
 * or relative. Commas and semicolons inside `<>` and quotes separate nothing.
 */
export function findLink(header: string | undefined, relation: string): string | undefined {
  for (const [, target, parameters = ''] of (header ?? '').matchAll(linkValue)) {
    const rel = [...parameters.matchAll(parameter)].find(
      ([, name]) => name?.toLowerCase() === 'rel',
    );
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target?.trim();
  }
  return undefined;
}

export function formatLink(target: string, relation: string): string {
  return `<${target}>; rel="${relation}"`;
}
