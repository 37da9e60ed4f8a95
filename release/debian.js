// Builds a Debian package with dpkg-deb. Needs dpkg, gzip and readelf.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { installKeyring } from '../standalone/runtimes.js';
import { repository, version } from './artifacts.js';
import { readDependencies } from './debian-dependencies.js';
import { formatControl, formatCopyright, formatDebianChangelog, lintianOverrides } from './debian-files.js';

/** A hyphen would end the upstream version, and a tilde sorts before the release. */
const debianVersion = `${version.replace('-', '~')}-1`;

const doc = 'usr/share/doc/petstore';

/** Builds the packages of a release. The same release gives the same bytes. */
export function writeDebianPackages(release) {
  for (const artifact of release.artifacts) {
    if (artifact.debian !== undefined) writeDebianPackage(artifact, release);
  }
}

function writeDebianPackage(artifact, { unpacked, output, publisher, time }) {
  const stage = mkdtempSync(join(unpacked, 'debian-'));
  process.umask(0o022);
  chmodSync(stage, 0o755);
  try {
    const source = join(unpacked, artifact.folder);
    copyProgram(source, artifact, stage);
    writeDocs(source, stage, publisher, time);
    compress(stage);
    const control = formatControl({
      version: debianVersion,
      architecture: artifact.debian,
      dependencies: readDependencies([join(source, artifact.executable), installKeyring(artifact.target)]),
      installedKib: measure(stage),
      publisher,
    });
    write(stage, 'DEBIAN/md5sums', formatSums(stage));
    write(stage, 'DEBIAN/control', control);
    const file = join(output, `petstore_${debianVersion}_${artifact.debian}.deb`);
    // xz takes minutes for 125 MB, and old versions of dpkg and lintian do not read zstd.
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', stage, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(time) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Copies the program, its manual pages and completions to the folders of Debian. */
function copyProgram(source, { executable }, stage) {
  copy(join(source, executable), stage, 'usr/bin/petstore', 0o755);
  for (const section of ['man1', 'man7']) {
    for (const page of readdirSync(join(source, 'man', section))) {
      copy(join(source, 'man', section, page), stage, `usr/share/man/${section}/${page}`);
    }
  }
  const completions = join(source, 'completions');
  copy(join(completions, 'petstore.bash'), stage, 'usr/share/bash-completion/completions/petstore');
  copy(join(completions, '_petstore'), stage, 'usr/share/zsh/vendor-completions/_petstore');
  copy(join(completions, 'petstore.fish'), stage, 'usr/share/fish/vendor_completions.d/petstore.fish');
}

function writeDocs(source, stage, publisher, time) {
  const license = readFileSync(join(source, 'LICENSE'), 'utf8');
  write(stage, `${doc}/copyright`, formatCopyright(license, publisher));
  copy(join(source, 'THIRD-PARTY-LICENSES.txt'), stage, `${doc}/THIRD-PARTY-LICENSES.txt`);
  copy(join(repository, 'CHANGELOG.md'), stage, `${doc}/changelog`);
  write(stage, `${doc}/changelog.Debian`, formatDebianChangelog(debianVersion, publisher, time));
  write(stage, 'usr/share/lintian/overrides/petstore', lintianOverrides);
}

/** Compresses what Debian wants compressed, without names and times. */
function compress(stage) {
  const isCompressed = (file) => /man\/man\d\/|\/changelog|LICENSES\.txt$/.test(file);
  execFileSync('gzip', ['-9n', ...listFiles(stage).filter(isCompressed)], { cwd: stage });
}

/** Returns the size in KiB as dpkg-gencontrol counts it: each file rounded up, and 1 for everything else. */
function measure(stage) {
  return readdirSync(stage, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(stage, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? Math.ceil(stats.size / 1024) : 1), 1);
}

function formatSums(stage) {
  const sum = (file) =>
    createHash('md5')
      .update(readFileSync(join(stage, file)))
      .digest('hex');
  return listFiles(stage)
    .map((file) => `${sum(file)}  ${file}\n`)
    .join('');
}

function listFiles(stage) {
  return readdirSync(stage, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(stage, name)).isFile())
    .sort();
}

function copy(from, stage, name, mode = 0o644) {
  mkdirSync(dirname(join(stage, name)), { recursive: true });
  copyFileSync(from, join(stage, name));
  chmodSync(join(stage, name), mode);
}

function write(stage, name, text) {
  mkdirSync(dirname(join(stage, name)), { recursive: true });
  writeFileSync(join(stage, name), text);
  chmodSync(join(stage, name), 0o644);
}
