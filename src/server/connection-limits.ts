/** In a file of their own: every start of petstore reads them for the help of `serve`. */
export const defaultMaxConnections = 256;
export const defaultMaxConnectionsPerAddress = 64;
