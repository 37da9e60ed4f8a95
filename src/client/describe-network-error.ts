import type { ErrorCode } from '../error-codes.js';
import { type FailureDetails, type Hint, retryHint } from '../failure.js';

/**
 * Returns code, message and hint for an error code of Node.js, OpenSSL or undici. `sent` is true if the request may have
 * been sent.
 */
export function describeNetworkError(
  code: string,
  host: string,
  sent: boolean,
): Pick<FailureDetails, 'code' | 'message' | 'hint'> {
  const match = networkErrors.find(({ codes }) => codes.test(code));
  if (!match) {
    return {
      code: 'connection_failed',
      message: `the connection to ${host} failed (${code})`,
      hint: 'check your network connection, then retry',
    };
  }
  const detail = match.showCode ? ` (${code})` : '';
  return { code: match.code, message: `${match.message(host, sent)}${detail}`, hint: match.hint };
}

const checkNetworkHint = 'check the base URL and your network connection';
const checkProxyHint = 'check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY';

/** The first entry that matches wins. */
const networkErrors: readonly {
  readonly codes: RegExp;
  readonly code: ErrorCode;
  readonly message: (host: string, sent: boolean) => string;
  readonly hint?: Hint;
  /** Appends the error code, which is more specific. */
  readonly showCode?: true;
}[] = [
  {
    codes: /^ECONNREFUSED$/,
    code: 'connection_failed',
    message: (host) => `${host} refused the connection`,
    hint: 'check that the service is running and that the base URL is correct',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    code: 'connection_failed',
    message: (host) => `the DNS lookup of ${host} failed`,
    showCode: true,
    hint: checkNetworkHint,
  },
  {
    codes: /^E(HOST|NET)UNREACH$/,
    code: 'connection_failed',
    message: (host) => `${host} is unreachable from this network`,
    hint: checkNetworkHint,
  },
  {
    codes: /^UND_ERR_RES_EXCEEDED_MAX_SIZE$/,
    code: 'invalid_response',
    message: (host) => `${host} sent a response larger than 16 MiB`,
    hint: 'check the base URL',
  },
  {
    codes: /^UND_ERR_HEADERS_OVERFLOW$/,
    code: 'invalid_response',
    message: (host) => `${host} sent response headers larger than 64 KiB`,
    hint: 'check the base URL',
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    code: 'connection_failed',
    message: (host) => `connecting to ${host} timed out after 5 seconds`,
    hint: checkNetworkHint,
  },
  {
    codes: /^PROXY_AUTHENTICATION$/,
    code: 'connection_failed',
    message: (host) => `the proxy for ${host} requires a user name and a password (HTTP 407)`,
    hint: 'add them to HTTPS_PROXY or HTTP_PROXY, such as http://user:password@proxy.example.com:3128',
  },
  {
    codes: /^PROXY_UNREACHABLE$/,
    code: 'connection_failed',
    message: (host) => `cannot connect to the proxy for ${host}`,
    hint: checkProxyHint,
  },
  {
    codes: /^PROXY_REFUSED$/,
    code: 'connection_failed',
    message: (host) => `the proxy did not open a tunnel to ${host}`,
    hint: checkProxyHint,
  },
  {
    codes: /TIMEOUT/,
    code: 'timeout',
    message: (host) => `${host} did not respond in time`,
    hint: 'increase --timeout',
  },
  {
    codes: /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH/,
    code: 'tls_failed',
    message: (host) => `the TLS certificate of ${host} is not trusted`,
    showCode: true,
    hint: 'set NODE_EXTRA_CA_CERTS to a file with the CA certificate of your organization',
  },
  {
    codes: /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL)|EPROTO)$/,
    code: 'tls_failed',
    message: (host) => `${host} does not support TLS`,
    hint: 'check the scheme and the port of the base URL',
  },
  {
    codes: /^ERR_SSL_/,
    code: 'tls_failed',
    message: (host) => `the TLS handshake with ${host} failed`,
    showCode: true,
    hint: 'check the base URL and any proxy between this machine and the service',
  },
  {
    codes: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/,
    code: 'connection_lost',
    message: (host, sent) => `${host} closed the connection${sent ? ' before the response was complete' : ''}`,
    hint: retryHint,
  },
  {
    codes: /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/,
    code: 'connection_failed',
    message: (host) => `${host} sent a response that is not valid HTTP`,
    hint: 'check the base URL',
  },
];
