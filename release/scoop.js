import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile, packageJson, version } from './artifacts.js';

/** Writes the manifest for Scoop, with the archives of this release for Windows. */
export function writeScoopManifest({ artifacts, output, publisher }) {
  const archives = artifacts.filter(({ scoop }) => scoop !== undefined);
  if (archives.length === 0) return;
  const describe = ({ scoop, archive, folder }) => {
    const hash = hashFile(join(output, archive));
    return [scoop, { url: `${publisher.downloadUrl}/${archive}`, hash, extract_dir: folder }];
  };
  const manifest = {
    version,
    description: packageJson.description,
    homepage: publisher.homepage,
    license: packageJson.license,
    architecture: Object.fromEntries(archives.map(describe)),
    bin: 'petstore.exe',
    ...describeUpdates(archives, publisher.downloadUrl),
  };
  writeFileSync(join(output, 'petstore.json'), `${JSON.stringify(manifest, null, 4)}\n`);
}

/**
 * Returns where Scoop finds the next version, if that can be told from the address: on GitHub, or in a folder that
 * all versions share.
 */
function describeUpdates(archives, downloadUrl) {
  const repository = /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+(?=\/releases\/)/.exec(downloadUrl)?.[0];
  const isShared = !downloadUrl.includes(version);
  if (repository === undefined && !isShared) return {};
  const sums = { url: `${downloadUrl}/SHA256SUMS`, regex: 'petstore-([\\d.]+)-windows-' };
  const describe = ({ scoop, archive, folder }) => [
    scoop,
    { url: replaceVersion(`${downloadUrl}/${archive}`), extract_dir: replaceVersion(folder) },
  ];
  return {
    checkver: repository === undefined ? sums : { github: repository },
    autoupdate: {
      architecture: Object.fromEntries(archives.map(describe)),
      hash: { url: '$baseurl/SHA256SUMS' },
    },
  };
}

function replaceVersion(text) {
  return text.replaceAll(version, '$version');
}
