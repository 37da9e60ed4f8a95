/** Maximum number of open connections. */
export const maxConnections = 256;
/** Maximum per client: an IPv4 address or the /64 of an IPv6 address. */
export const maxConnectionsPerAddress = 64;

export const headersTimeoutMs = 10_000;
/** Headers included. */
export const requestTimeoutMs = 15_000;
/** Between requests. */
export const keepAliveTimeoutMs = 5_000;
/** For a client that neither sends nor reads. */
export const stallTimeoutMs = 20_000;
