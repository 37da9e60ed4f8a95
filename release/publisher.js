import { readDownloadUrl, readWebAddress, usageError } from './artifacts.js';

/**
 * Returns who publishes the packages, and where: RELEASE_PUBLISHER ("Name <email>"), RELEASE_HOMEPAGE and
 * RELEASE_DOWNLOAD_URL. Package managers require them, and petstore has no public address. Throws if one is missing
 * or invalid.
 */
export function readPublisher(env = process.env) {
  const names = ['RELEASE_DOWNLOAD_URL', 'RELEASE_HOMEPAGE', 'RELEASE_PUBLISHER'];
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) {
    throw usageError(`packages need ${missing.join(', ')}`, 'set these variables; see docs/releasing.md');
  }
  const [, name, email] = /^([\p{L}\p{N}][^<>"\n]{1,59}) <([\w.+-]+@[\w.-]+)>$/u.exec(env.RELEASE_PUBLISHER) ?? [];
  if (name === undefined) {
    const example = "set it to a text such as 'Jane Doe <jane@example.com>'";
    throw usageError(`RELEASE_PUBLISHER is not "Name <email>": ${env.RELEASE_PUBLISHER}`, example);
  }
  return { name, email, homepage: readWebAddress('RELEASE_HOMEPAGE', env), downloadUrl: readDownloadUrl(env) };
}
