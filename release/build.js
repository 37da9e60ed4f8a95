// Builds all files of a release. `npm run release [-- <os>-<arch>...] [--packages] [--output <folder below out>]`
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { artifacts, hashFile, readDownloadUrl, readReleaseTime, repository, usageError } from './artifacts.js';
import { writeDebianPackages } from './debian.js';
import { writeFormula } from './homebrew.js';
import { readPublisher } from './publisher.js';
import { writeSboms } from './sbom.js';
import { writeScoopManifest } from './scoop.js';
import { writeWingetManifests } from './winget.js';

/** Writes the files of each package manager, for `--packages`. */
const packagers = [writeDebianPackages, writeFormula, writeScoopManifest, writeWingetManifests];

const release = readRelease();
const { output } = release;
for (const folder of [release.output, release.unpacked]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
for (const artifact of release.artifacts) {
  fillFolder(artifact);
  writeArchive(artifact);
}
run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', output], repository);
writeSboms(release);
writeInstaller();
if (release.publisher) for (const write of packagers) write(release);
writeChecksums();

/** Returns the release that the arguments and the environment describe. Exits with 2 if they are invalid. */
function readRelease() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { output: { type: 'string' }, packages: { type: 'boolean' } },
    });
    const unknown = positionals.find((name) => !artifacts.some(({ target }) => target === name));
    if (unknown !== undefined) {
      throw usageError(
        `cannot build for ${unknown}`,
        `choose from ${artifacts.map(({ target }) => target).join(', ')}`,
      );
    }
    const output = resolve(values.output ?? join(repository, 'out/release'));
    // The folder is deleted before it is filled.
    if (!output.startsWith(join(repository, 'out') + sep)) {
      throw usageError('--output must name a folder below out/', 'pass a folder such as out/trial');
    }
    return {
      artifacts: artifacts.filter(({ target }) => positionals.length === 0 || positionals.includes(target)),
      output,
      unpacked: `${output}-unpacked`,
      downloadUrl: readDownloadUrl(),
      time: readReleaseTime(),
      ...(values.packages && { publisher: readPublisher() }),
    };
  } catch (error) {
    const isFlagError = error.code?.startsWith('ERR_PARSE_ARGS_');
    if (!isFlagError && error.hint === undefined) throw error;
    const message = isFlagError
      ? error.message.replace(/^./, (letter) => letter.toLowerCase()).split('. ')[0]
      : error.message;
    console.error(`error: ${message}\n  hint: ${error.hint ?? 'pass targets, --packages or --output <folder>'}`);
    process.exit(2);
  }
}

/** Puts what the archive contains into a folder. Files get a fixed time and mode, so that builds are reproducible. */
function fillFolder({ target, folder, executable }) {
  const root = join(release.unpacked, folder);
  run(process.execPath, [join(repository, 'standalone/build.js'), target, '--output', root], repository);
  const suffix = executable.slice('petstore'.length);
  renameSync(join(root, `petstore-${target}${suffix}`), join(root, executable));
  for (const name of ['LICENSE', 'README.md']) copyFileSync(join(repository, name), join(root, name));
  for (const name of ['completions', 'man']) cpSync(join(repository, name), join(root, name), { recursive: true });
  for (const name of ['', ...readdirSync(root, { recursive: true })]) {
    const path = join(root, name);
    chmodSync(path, statSync(path).isDirectory() || name === executable ? 0o755 : 0o644);
    utimesSync(path, release.time, release.time);
  }
}

function writeArchive({ folder, archive }) {
  const file = join(output, archive);
  if (archive.endsWith('.zip')) {
    // Sorted, without the fields that depend on the user. The time of a file in a zip file is local.
    const names = readdirSync(join(release.unpacked, folder), { recursive: true }).map((name) => join(folder, name));
    run('zip', ['-X', '-q', file, folder, ...names.sort()], release.unpacked, { TZ: 'UTC' });
  } else {
    const owner = ['--owner=0', '--group=0', '--numeric-owner'];
    const format = ['--format=ustar', '--sort=name', '--use-compress-program=gzip -n'];
    run('tar', [...format, ...owner, '-cf', file, folder], release.unpacked);
  }
}

/** Copies install.sh, with the address that it downloads from. */
function writeInstaller() {
  const script = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8');
  const text = script.replace(/^release_url=''$/m, `release_url='${release.downloadUrl ?? ''}'`);
  writeFileSync(join(output, 'install.sh'), text, { mode: 0o755 });
}

function writeChecksums() {
  const lines = readdirSync(output)
    .sort()
    .map((name) => `${hashFile(join(output, name))}  ${name}\n`);
  writeFileSync(join(output, 'SHA256SUMS'), lines.join(''));
}

function run(command, args, cwd, env = {}) {
  execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
}
