/**
 * The path of a template such as `/pets/{petId}` (OpenAPI 3.1, path templating), percent-encoded; `valueOf` gives what
 * stands for a name.
 */
export function expandPath(template: string, valueOf: (name: string) => string): string {
  const { before, name, after } = partsOf(template);
  return name === undefined ? before : `${before}${encodeURIComponent(valueOf(name))}${after}`;
}

/** What a path has for the name in a template, as it stands there, or empty where that has none; nothing for another path. */
export function matchPath(template: string, path: string): string | undefined {
  const { before, name, after } = partsOf(template);
  if (name === undefined) return path === before ? '' : undefined;
  const value = path.slice(before.length, path.length - after.length);
  const isValue = value !== '' && !value.includes('/');
  return isValue && path === `${before}${value}${after}` ? value : undefined;
}

/** A template has one name at most. Without a pattern, since V8 compiles one before it is first used. */
function partsOf(template: string): { before: string; name?: string; after: string } {
  const [begin, end] = [template.indexOf('{'), template.indexOf('}')];
  if (begin < 0) return { before: template, after: '' };
  return {
    before: template.slice(0, begin),
    name: template.slice(begin + 1, end),
    after: template.slice(end + 1),
  };
}
