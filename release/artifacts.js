// The artifacts of a release: one table for all scripts of this folder.
//
// build.js (`npm run release [-- <os>-<arch>...] [--output <folder>]`) creates the archives. Then it calls the function
// of each package manager with what it built, and writes SHA256SUMS last. The argument of these functions:
// - `artifacts`: the rows of the table that were built;
// - `output`: the folder with the files to publish, by default `out/release/`;
// - `unpacked`: the folder with the content of each archive, in `<folder>/`;
// - `downloadUrl`: see `readDownloadUrl`; may be `undefined`;
// - `publisher`: see `readPublisher`; `undefined` without `--packages`;
// - `time`: the time of all files, in seconds since 1970.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { targets } from '../standalone/runtimes.js';

export const repository = join(import.meta.dirname, '..');

export const packageJson = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

export const { version } = packageJson;

/** The names of each platform in archives and package managers. A package manager without a name gets no package. */
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
 * - `folder`: the only folder in the archive, also in `unpacked`;
 * - `archive`: the name of the archive, in `output`;
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
 * Returns the URL of the folder that users download the files from, without a slash at the end; undefined if
 * RELEASE_DOWNLOAD_URL is not set. petstore has no public address: the publisher of a release sets the variable.
 */
export function readDownloadUrl(env = process.env) {
  return readWebAddress('RELEASE_DOWNLOAD_URL', env);
}

/** Returns the URL in a variable, without a slash at the end; undefined if it is not set. Throws without https://. */
export function readWebAddress(name, env = process.env) {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A shell, Ruby and YAML read these characters as text.
  if (url?.protocol !== 'https:' || !/^[\w.:/~%-]+$/.test(url.href)) {
    throw usageError(
      `${name} must be an https:// URL without user, password, query or special characters`,
      `set ${name} to a URL such as https://pets.example.com`,
    );
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
  if (!Number.isSafeInteger(seconds) || seconds <= 0) {
    throw usageError(
      `SOURCE_DATE_EPOCH is not a number of seconds: ${text}`,
      'set SOURCE_DATE_EPOCH to a number of seconds since 1970',
    );
  }
  return seconds;
}

/** Returns an error about an argument or a variable, with a hint. */
export function usageError(message, hint) {
  return Object.assign(new Error(message), { hint });
}
