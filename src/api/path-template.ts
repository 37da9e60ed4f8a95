/**
 * The path of a template such as `/pets/{petId}` (OpenAPI 3.1, path templating), percent-encoded; `fill` gives what
 * stands for a parameter.
 */
export function expandPath(template: string, fill: (parameter: string) => string): string {
  const { before, parameter, after } = partsOf(template);
  return parameter === undefined
    ? before
    : `${before}${encodeURIComponent(fill(parameter))}${after}`;
}

/** What a path has for the parameter of a template, as it stands there, empty where that has none; nothing for another path. */
export function matchPath(template: string, path: string): string | undefined {
  const { before, parameter, after } = partsOf(template);
  if (parameter === undefined) return path === before ? '' : undefined;
  const value = path.slice(before.length, path.length - after.length);
  const isValue = value !== '' && !value.includes('/');
  return isValue && path === `${before}${value}${after}` ? value : undefined;
}

/** A template has one parameter at most. Without a pattern, since V8 compiles one before it is first used. */
function partsOf(template: string): { before: string; parameter?: string; after: string } {
  const [begin, end] = [template.indexOf('{'), template.indexOf('}')];
  if (begin < 0) return { before: template, after: '' };
  return {
    before: template.slice(0, begin),
    parameter: template.slice(begin + 1, end),
    after: template.slice(end + 1),
  };
}
