/** Separate from the code that applies them, because every start of petstore loads them for the help of `serve`. */
export const defaultMaxConnections = 256;
export const defaultMaxConnectionsPerAddress = 64;
