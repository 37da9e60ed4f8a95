/** Returns an IPv4-mapped IPv6 address, which a server on `::` sees, as IPv4; others unchanged. */
export function unmapAddress(address: string): string {
  return /^::ffff:([0-9.]+)$/i.exec(address)?.[1] ?? address;
}

/** Returns what one client controls: an IPv4 address, or the /64 of an IPv6 address (RFC 6177 §2). */
export function clientNetwork(given: string): string {
  const address = unmapAddress(given);
  if (!address.includes(':')) return address;
  const [start = [], end] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // `::` replaces all zero groups that are missing.
  const zeros = end ? Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0') : [];
  const groups = [...start, ...zeros, ...(end ?? [])].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
