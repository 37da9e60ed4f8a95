import { readDownloadUrl, readWebAddress } from './artifacts.js';

/**
 * Returns who publishes the packages, and where: PETSTORE_PUBLISHER ("Name <email>"), PETSTORE_HOMEPAGE and
 * PETSTORE_DOWNLOAD_URL. Package managers require them, and petstore has no public address. Throws if one is missing
 * or invalid.
 */
export function readPublisher(env = process.env) {
  const names = ['PETSTORE_DOWNLOAD_URL', 'PETSTORE_HOMEPAGE', 'PETSTORE_PUBLISHER'];
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) throw new Error(`packages need ${missing.join(', ')}; see docs/releasing.md`);
  const [, name, email] = /^([\p{L}\p{N}][^<>"\n]{1,59}) <([\w.+-]+@[\w.-]+)>$/u.exec(env.PETSTORE_PUBLISHER) ?? [];
  if (name === undefined) throw new Error(`PETSTORE_PUBLISHER is not "Name <email>": ${env.PETSTORE_PUBLISHER}`);
  return { name, email, homepage: readWebAddress('PETSTORE_HOMEPAGE', env), downloadUrl: readDownloadUrl(env) };
}
