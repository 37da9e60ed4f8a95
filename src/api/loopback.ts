/** True for the names and addresses by which a machine reaches itself alone, with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^(127(\.[0-9]{1,3}){3}|::1|\[::1\]|localhost)$/i.test(host);
}
