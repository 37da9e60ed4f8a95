/** Matches the parameter of a path template such as `/pets/{petId}` (OpenAPI 3.1). A template has at most one. */
const parameter = /\{(\w+)\}/;

/** Replaces the parameter by the percent-encoded result of `getValue`. */
export function expandPath(template: string, getValue: (parameter: string) => string): string {
  return template.replace(parameter, (_, name: string) => encodeURIComponent(getValue(name)));
}

/**
 * Returns the raw value of the parameter in a path, or an empty string if the template has no parameter. Returns
 * undefined if the path does not match.
 */
export function matchPath(template: string, path: string): string | undefined {
  const [prefix = '', , suffix] = template.split(parameter);
  if (suffix === undefined) return path === prefix ? '' : undefined;
  const value = path.slice(prefix.length, path.length - suffix.length);
  const isSegment = /^[^/]+$/.test(value);
  return isSegment && path === `${prefix}${value}${suffix}` ? value : undefined;
}
