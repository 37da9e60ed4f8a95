import type { ErrorCode } from '../error-codes.js';
import { type Hint, retryHint } from '../failure.js';

interface NetworkError {
  /** `connection_failed` by default. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: Hint;
}

/** Returns code, message and hint for the code of a network error (`Loss`). */
export function describeNetworkError(code: string, host: string): Required<NetworkError> {
  // The first pattern that matches wins.
  const errors: readonly (NetworkError & { readonly pattern: RegExp })[] = [
    { pattern: /^ECONNREFUSED$/, message: `${host} refused the connection`, hint: checkServiceHint },
    { pattern: /^(ENOTFOUND|EAI_AGAIN)$/, message: `the DNS lookup of ${host} failed (${code})` },
    { pattern: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, message: `connecting to ${host} timed out after 5 seconds` },
    {
      pattern: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/,
      code: 'connection_lost',
      message: `${host} closed the connection before the response was complete`,
      hint: retryHint,
    },
    {
      pattern: /^TRUNCATED_JSON$/,
      code: 'connection_lost',
      message: `the response from ${host} is truncated`,
      hint: retryHint,
    },
    {
      pattern: /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH/,
      code: 'tls_failed',
      message: `the TLS certificate of ${host} is not trusted (${code})`,
      hint: 'set NODE_EXTRA_CA_CERTS to a file with the CA certificate of your organization',
    },
    {
      pattern: /^(ERR_SSL_|EPROTO$)/,
      code: 'tls_failed',
      message: `the TLS handshake with ${host} failed (${code})`,
      hint: 'check the scheme and the port of the base URL',
    },
    {
      pattern: /^PROXY_AUTHENTICATION$/,
      message: `the proxy for ${host} requires a user name and a password (HTTP 407)`,
      hint: 'add them to HTTPS_PROXY or HTTP_PROXY, such as http://user:password@proxy.example.com:3128',
    },
    {
      pattern: /^PROXY_FAILED$/,
      message: `cannot connect to ${host} through the proxy`,
      hint: 'check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY',
    },
    {
      pattern: /^UND_ERR_RES_EXCEEDED_MAX_SIZE$/,
      code: 'invalid_response',
      message: `${host} sent a response larger than 16 MiB`,
      hint: 'check the base URL',
    },
    {
      pattern: /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/,
      message: `${host} sent a response that is not valid HTTP`,
      hint: 'check the base URL',
    },
  ];
  const error = errors.find(({ pattern }) => pattern.test(code));
  return {
    code: error?.code ?? 'connection_failed',
    message: error?.message ?? `the connection to ${host} failed (${code})`,
    hint: error?.hint ?? 'check the base URL and your network connection',
  };
}

const checkServiceHint = 'check that the service is running and that the base URL is correct';
