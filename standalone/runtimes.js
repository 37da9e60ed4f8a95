// Downloads what an executable contains besides petstore: Bun's runtime and the keyring of the system, both from npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');

/** Also holds what the tests download. */
export const cache = join(repository, 'node_modules/.cache/petstore');

export const bunVersion = '1.4.5';

/**
 * The executables that can be built, each with the names of its packages and the integrity of Bun's. Those for x64 run
 * on every processor: a build of Bun that needs AVX2 starts no faster.
 */
export const targets = {
  'linux-x64': {
    bun: 'linux-x64-baseline',
    keyring: 'linux-x64-gnu',
    integrity: 'sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==',
  },
  'linux-arm64': {
    bun: 'linux-aarch64',
    keyring: 'linux-arm64-gnu',
    integrity: 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  },
  'linux-x64-musl': {
    bun: 'linux-x64-musl-baseline',
    keyring: 'linux-x64-musl',
    integrity: 'sha512-cWJhU8h0+MiUgpSt99sQhjxLIIosKEcKYdtKddohokUvAuN6jKOy7g7+QDTZTXtwHxz93wL3BX+L6wXVPDUH3A==',
  },
  'linux-arm64-musl': {
    bun: 'linux-aarch64-musl',
    keyring: 'linux-arm64-musl',
    integrity: 'sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==',
  },
  'darwin-x64': {
    bun: 'darwin-x64-baseline',
    keyring: 'darwin-x64',
    integrity: 'sha512-zqfLA5A4B+hYMh5WYzYSot3uZ06FzhdP0OEwQisEzdirYtXGj5cQFlfy31BGfNsAsk1Gd/w/OxJ/jqqJ3cMclw==',
  },
  'darwin-arm64': {
    bun: 'darwin-aarch64',
    keyring: 'darwin-arm64',
    integrity: 'sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  },
  'win32-x64': {
    bun: 'windows-x64-baseline',
    keyring: 'win32-x64-msvc',
    integrity: 'sha512-/U3Dc74uGqE6EUqef7mPtg9KwJs7iJH4JHRMfIZIn18MrJh6Xz4gVvWDXRvzCL2j8wPlTnJVyrO4n7Qq4uM7TQ==',
  },
};

/** Returns the path of Bun's runtime for a target. */
export function installBun(target) {
  const { bun, integrity } = targets[target];
  const name = target.startsWith('win32') ? 'bun.exe' : 'bun';
  return join(installPackage(`@oven/bun-${bun}`, bunVersion, integrity), 'bin', name);
}

/** Returns the path of the native module that opens the keyring of a target. Its version is that of package-lock.json. */
export function installKeyring(target) {
  const { keyring } = targets[target];
  const name = `@napi-rs/keyring-${keyring}`;
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`];
  return join(installPackage(name, version, integrity), `keyring.${keyring}.node`);
}

/** Returns the folder of a package, downloaded once. Throws if the download fails or does not match its integrity. */
function installPackage(name, version, integrity) {
  const folder = join(cache, `${name.replace(/^@|\//g, '')}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, 'new-'));
  try {
    // Runs in the folder: tar reads a colon in the path of a file as a host name.
    const options = { cwd: temporary, timeout: 300_000, encoding: 'utf8', shell: process.platform === 'win32' };
    const packed = spawnSync('npm', ['pack', '--json', `${name}@${version}`], options);
    if (packed.status !== 0) throw new Error(`cannot download ${name} ${version}: ${packed.stderr}`);
    const [{ filename }] = JSON.parse(packed.stdout);
    const digest = createHash('sha512')
      .update(readFileSync(join(temporary, filename)))
      .digest('base64');
    if (integrity !== `sha512-${digest}`) throw new Error(`${name} ${version} does not match its integrity`);
    const { status, stderr } = spawnSync('tar', ['-xzf', filename], options);
    if (status !== 0) throw new Error(`cannot extract ${name} ${version}: ${stderr}`);
    // Renamed atomically, because another build may be looking for it.
    if (!existsSync(folder)) renameSync(join(temporary, 'package'), folder);
    return folder;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
