import type { ErrorCode } from '../error-codes.js';
import type { FailureDetails } from '../failure.js';

/** Returns code, message and hint for an error code of Node.js, OpenSSL or undici. */
export function describeNetworkError(code: string, host: string): Pick<FailureDetails, 'code' | 'message' | 'hint'> {
  const match = networkErrors.find(({ codes }) => codes.test(code));
  if (!match) {
    return {
      code: 'connection_failed',
      message: `the connection to ${host} failed (${code})`,
      hint: 'try again',
    };
  }
  const detail = match.showCode ? ` (${code})` : '';
  return { code: match.code, message: `${host} ${match.message}${detail}`, hint: match.hint };
}

/** The first entry that matches wins. */
const networkErrors: readonly {
  readonly codes: RegExp;
  readonly code: ErrorCode;
  /** Follows the host in the sentence. */
  readonly message: string;
  readonly hint?: string;
  /** Appends the error code, which is more specific. */
  readonly showCode?: true;
}[] = [
  {
    codes: /^ECONNREFUSED$/,
    code: 'connection_refused',
    message: 'refuses connections',
    hint: 'check that the service runs, and the base URL',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    code: 'name_not_found',
    message: 'cannot be found by its name',
    hint: 'check the base URL and the network',
  },
  {
    codes: /^E(HOST|NET)UNREACH$/,
    code: 'unreachable',
    message: 'cannot be reached from this network',
    hint: 'check the base URL and the network',
  },
  {
    codes: /^UND_ERR_RES_EXCEEDED_MAX_SIZE$/,
    code: 'answer_too_large',
    message: 'answered with more than 16 MiB',
  },
  {
    codes: /^UND_ERR_HEADERS_OVERFLOW$/,
    code: 'headers_too_large',
    message: 'answered with headers of more than 64 KiB',
    hint: 'check the base URL',
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    code: 'connect_timeout',
    message: 'did not take the connection within 5 seconds',
    hint: 'check the base URL and the network',
  },
  {
    codes: /^PROXY_AUTHENTICATION$/,
    code: 'proxy_authentication',
    message: 'is behind a proxy that asks for a user and a password (407)',
    hint: 'HTTPS_PROXY and HTTP_PROXY may hold them: http://user:password@proxy.example.com:3128',
  },
  {
    codes: /^PROXY_/,
    code: 'proxy_failed',
    message: 'is behind a proxy that cannot be reached, or will not lead there',
    hint: 'check HTTPS_PROXY and HTTP_PROXY; NO_PROXY names hosts that need none',
  },
  {
    codes: /TIMEOUT/,
    code: 'timeout',
    message: 'did not answer in time',
    hint: '--timeout gives it longer',
  },
  {
    codes: /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH/,
    code: 'untrusted_certificate',
    message: 'has a certificate that is not trusted',
    showCode: true,
    hint: 'NODE_EXTRA_CA_CERTS names a file with the certificate authority of your organisation',
  },
  {
    codes: /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL)|EPROTO)$/,
    code: 'not_tls',
    message: 'does not speak TLS',
    hint: 'check http and https in the base URL',
  },
  {
    codes: /^ERR_SSL_/,
    code: 'tls_failed',
    message: 'and petstore cannot agree on TLS',
    showCode: true,
    hint: 'check the base URL, and what may stand between here and there',
  },
  {
    codes: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/,
    code: 'connection_lost',
    message: 'closed the connection before its answer was whole',
    hint: 'try again',
  },
  {
    codes: /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/,
    code: 'not_http',
    message: 'answered with something that is not HTTP',
    hint: 'check the base URL',
  },
];
