import type { ErrorCode } from '../error-codes.js';
import { type FailureDetails, type Hint, retryHint } from '../failure.js';

/** Returns code, message and hint for an error code of Node.js, OpenSSL, undici or `proxy-connection.ts`. */
export function describeNetworkError(code: string, host: string): Pick<FailureDetails, 'code' | 'message' | 'hint'> {
  const match = networkErrors.find(({ codes }) => codes.test(code));
  const message = match ? match.message(host) : `the connection to ${host} failed`;
  return {
    code: match?.code ?? 'connection_failed',
    message: !match || match.showCode ? `${message} (${code})` : message,
    hint: match?.hint ?? checkNetworkHint,
  };
}

const checkNetworkHint = 'check the base URL and your network connection';

/** The first entry that matches wins. */
const networkErrors: readonly {
  readonly codes: RegExp;
  /** `connection_failed` by default. */
  readonly code?: ErrorCode;
  readonly message: (host: string) => string;
  readonly hint: Hint;
  /** Appends the error code, which is more specific. */
  readonly showCode?: true;
}[] = [
  {
    codes: /^ECONNREFUSED$/,
    message: (host) => `${host} refused the connection`,
    hint: 'check that the service is running and that the base URL is correct',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    message: (host) => `the DNS lookup of ${host} failed`,
    showCode: true,
    hint: checkNetworkHint,
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    message: (host) => `connecting to ${host} timed out after 5 seconds`,
    hint: checkNetworkHint,
  },
  {
    codes: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/,
    code: 'connection_lost',
    message: (host) => `${host} closed the connection before the response was complete`,
    hint: retryHint,
  },
  {
    codes: /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH/,
    code: 'tls_failed',
    message: (host) => `the TLS certificate of ${host} is not trusted`,
    showCode: true,
    hint: 'set NODE_EXTRA_CA_CERTS to a file with the CA certificate of your organization',
  },
  {
    codes: /^(ERR_SSL_|EPROTO$)/,
    code: 'tls_failed',
    message: (host) => `the TLS handshake with ${host} failed`,
    showCode: true,
    hint: 'check the scheme and the port of the base URL',
  },
  {
    codes: /^PROXY_AUTHENTICATION$/,
    message: (host) => `the proxy for ${host} requires a user name and a password (HTTP 407)`,
    hint: 'add them to HTTPS_PROXY or HTTP_PROXY, such as http://user:password@proxy.example.com:3128',
  },
  {
    codes: /^PROXY_FAILED$/,
    message: (host) => `cannot connect to ${host} through the proxy`,
    hint: 'check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY',
  },
  {
    codes: /^UND_ERR_RES_EXCEEDED_MAX_SIZE$/,
    code: 'invalid_response',
    message: (host) => `${host} sent a response larger than 16 MiB`,
    hint: 'check the base URL',
  },
  {
    codes: /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/,
    message: (host) => `${host} sent a response that is not valid HTTP`,
    hint: 'check the base URL',
  },
];
