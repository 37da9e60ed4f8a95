import type { ErrorCode } from '../error-codes.js';
import { Failure, type Hint, retryHint } from '../failure.js';

/** Returns the failure for the code of a network error (`Loss`). */
export function describeNetworkError(code: string, host: string): Failure {
  const matches = (pattern: RegExp) => pattern.test(code);
  const fail = (message: string, hint: Hint, ownCode: ErrorCode = 'connection_failed') =>
    new Failure(ownCode === 'invalid_response' ? 'service' : 'network', { code: ownCode, message, hint });
  if (matches(/^ECONNREFUSED$/)) return fail(`${host} refused the connection`, checkServiceHint);
  if (matches(/^(ENOTFOUND|EAI_AGAIN)$/)) return fail(`the DNS lookup of ${host} failed (${code})`, checkNetworkHint);
  if (matches(/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/)) {
    return fail(`connecting to ${host} timed out after 5 seconds`, checkNetworkHint);
  }
  if (matches(/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/)) {
    return fail(`${host} closed the connection before the response was complete`, retryHint, 'connection_lost');
  }
  if (matches(/^TRUNCATED_JSON$/)) return fail(`the response from ${host} is truncated`, retryHint, 'connection_lost');
  if (matches(/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME|INVALID_CA|HOSTNAME_MISMATCH/)) {
    return fail(`the TLS certificate of ${host} is not trusted (${code})`, addCertificateHint, 'tls_failed');
  }
  if (matches(/^(ERR_SSL_|EPROTO$)/)) {
    const hint = 'check the scheme and the port of the base URL';
    return fail(`the TLS handshake with ${host} failed (${code})`, hint, 'tls_failed');
  }
  if (matches(/^PROXY_AUTHENTICATION$/)) {
    return fail(`the proxy for ${host} requires a user name and a password (HTTP 407)`, addProxyUserHint);
  }
  if (matches(/^PROXY_FAILED$/)) return fail(`cannot connect to ${host} through the proxy`, checkProxyHint);
  if (matches(/^UND_ERR_RES_EXCEEDED_MAX_SIZE$/)) {
    return fail(`${host} sent a response larger than 16 MiB`, 'check the base URL', 'invalid_response');
  }
  if (matches(/^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/)) {
    return fail(`${host} sent a response that is not valid HTTP`, 'check the base URL');
  }
  return fail(`the connection to ${host} failed (${code})`, checkNetworkHint);
}

const checkServiceHint = 'check that the service is running and that the base URL is correct';
const checkNetworkHint = 'check the base URL and your network connection';
const addCertificateHint = 'set NODE_EXTRA_CA_CERTS to a file with the CA certificate of your organization';
const addProxyUserHint = 'add them to HTTPS_PROXY or HTTP_PROXY, such as http://user:password@proxy.example.com:3128';
const checkProxyHint = 'check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY';
