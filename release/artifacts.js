// What a release consists of. All scripts of this folder share this table.
//
// `npm run release [-- <os>-<arch>...]` (build.js) writes everything into `out/release/`. It unpacks each artifact in
// `out/unpacked/<folder>/` first. A script for a package manager exports one function that takes the artifacts of this
// run and writes its files into `output`. build.js calls it when the archives are complete, and then writes SHA256SUMS.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { targets } from '../standalone/runtimes.js';

export const repository = join(import.meta.dirname, '..');

export const packageJson = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

export const { version } = packageJson;

/** The folder with the files that are published. */
export const output = join(repository, 'out/release');

/** The folder with the content of each archive. */
export const unpacked = join(repository, 'out/unpacked');

/** The names of the platforms. Package managers without a name have no package for the platform. */
const platforms = {
  'linux-x64': { platform: 'linux-x64', debian: 'amd64', homebrew: ['linux', 'intel'] },
  'linux-arm64': { platform: 'linux-arm64', debian: 'arm64', homebrew: ['linux', 'arm'] },
  'linux-x64-musl': { platform: 'linux-x64-musl' },
  'linux-arm64-musl': { platform: 'linux-arm64-musl' },
  'darwin-x64': { platform: 'macos-x64', homebrew: ['macos', 'intel'] },
  'darwin-arm64': { platform: 'macos-arm64', homebrew: ['macos', 'arm'] },
  'win32-x64': { platform: 'windows-x64', scoop: '64bit', winget: 'x64' },
};

/**
 * One artifact per target of `standalone/runtimes.js`:
 * - `target`: the name of the target;
 * - `folder`: the only folder in the archive, which is also in `unpacked`;
 * - `archive`: the name of the archive in `output`;
 * - `executable`: the name of the program in the folder, beside `completions/`, `man/man1/`, `man/man7/`, `LICENSE`,
 *   `THIRD-PARTY-LICENSES.txt` and `README.md`;
 * - `debian`, `scoop`, `winget`: the architecture as the package manager calls it;
 * - `homebrew`: the parts of the blocks `on_<os>` and `on_<cpu>` of a formula.
 */
export const artifacts = Object.keys(targets).map((target) => {
  const { platform, ...names } = platforms[target];
  const folder = `petstore-${version}-${platform}`;
  const isWindows = target.startsWith('win32');
  return {
    target,
    folder,
    archive: `${folder}.${isWindows ? 'zip' : 'tar.gz'}`,
    executable: isWindows ? 'petstore.exe' : 'petstore',
    ...names,
  };
});

/**
 * Returns the address of the folder that users download the files from, without a slash at the end. petstore has no
 * public address: whoever publishes a release sets PETSTORE_DOWNLOAD_URL. Returns nothing without it. Throws if it is
 * no address with https://.
 */
export function readDownloadUrl(env = process.env) {
  return readWebAddress('PETSTORE_DOWNLOAD_URL', env);
}

/** Returns the address in a variable, without a slash at the end. Throws if it is no address with https://. */
export function readWebAddress(name, env = process.env) {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A shell, Ruby and YAML read these characters as text.
  if (url?.protocol !== 'https:' || !/^[\w.:/~%-]+$/.test(url.href)) {
    throw new Error(`${name} is no address with https://: ${text}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Returns the SHA-256 digest of a file in hexadecimal digits. */
export function hashFile(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Returns the time of all files in seconds since 1970: SOURCE_DATE_EPOCH if set, otherwise that of the commit. */
export function readReleaseTime(env = process.env) {
  const text = env.SOURCE_DATE_EPOCH ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: repository });
  const seconds = Number(String(text).trim());
  if (!Number.isSafeInteger(seconds) || seconds <= 0) throw new Error('set SOURCE_DATE_EPOCH to a number of seconds');
  return seconds;
}
