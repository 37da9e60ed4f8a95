import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { buildRelease } from '../support/build-release.js';
import { createDebianRoot, debianNeeds } from '../support/debian-root.js';
import { isInstalled } from '../support/is-installed.js';

const programs = ['dpkg-deb', 'readelf', 'zip', 'gzip'];
const needs = 'dpkg, binutils, zip and the runtime of Bun from npm';
const time = 1_700_000_000;
const build = programs.every(isInstalled)
  ? buildRelease(
      {
        RELEASE_DOWNLOAD_URL: 'https://downloads.example.com/petstore/v1',
        RELEASE_HOMEPAGE: 'https://petstore.example.com',
        RELEASE_PUBLISHER: 'Example Packages <packages@example.com>',
        SOURCE_DATE_EPOCH: String(time),
      },
      ['--packages'],
    )
  : undefined;
const isMissing = build === undefined || build.isMissing;
const isDebian = (name: string) => name.endsWith('.deb');
const name = build?.error === '' ? readdirSync(build.output).find(isDebian) : undefined;
const file = join(build?.output ?? '', name ?? 'no package');

const folder = mkdtempSync(join(tmpdir(), 'petstore-debian-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }), 300_000);
const debian = name ? await createDebianRoot(folder, ['man-db', 'bash-completion', 'passwd']) : undefined;

test.skipIf(isMissing)(`the Debian package is built (needs ${needs})`, () => {
  expect(build?.error).toBe('');
  expect(name).toMatch(/^petstore_\d+\.\d+\.\d+.*-1_(amd64|arm64)\.deb$/);
});

test.skipIf(!name)(`the Debian package has root as owner and the time of the release (needs ${needs})`, async () => {
  const { stdout } = await execa('dpkg-deb', ['--contents', file], { env: { TZ: 'UTC' } });
  const lines = stdout.split('\n');
  expect(lines.filter((line) => !/^(?:drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /.test(line))).toEqual([]);
  expect(lines.filter((line) => !line.includes(' 2023-11-14 22:13 '))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('-rwx')).map((line) => line.replace(/.* /, ''))).toEqual([
    './usr/bin/petstore',
  ]);
});

test.skipIf(!name)(
  `the Debian package has the same bytes when built again (needs ${needs})`,
  async () => {
    const packager = join(import.meta.dirname, '../../release/debian.js');
    const table = join(import.meta.dirname, '../../release/artifacts.js');
    const [{ writeDebianPackages }, { artifacts, hashFile }] = await Promise.all([import(packager), import(table)]);
    const publisher = {
      name: 'Example Packages',
      email: 'packages@example.com',
      homepage: 'https://petstore.example.com',
    };
    const isBuilt = ({ target }: { target: string }) => target === `${process.platform}-${process.arch}`;
    const unpacked = `${build?.output}-unpacked`;
    writeDebianPackages({ artifacts: artifacts.filter(isBuilt), output: folder, unpacked, publisher, time });
    expect(hashFile(join(folder, name ?? ''))).toBe(hashFile(file));
  },
  600_000,
);

test.skipIf(!name || !isInstalled('lintian'))(
  `lintian accepts the Debian package (needs lintian, ${needs})`,
  async () => {
    const words = ['--allow-root', '--fail-on', 'error,warning', file];
    const { stdout } = await execa('lintian', words, { reject: false, all: true });
    expect(stdout).toBe('');
  },
  600_000,
);

test.skipIf(!name || !debian)(
  `the Debian package can be installed, used and purged (needs ${debianNeeds}, ${needs})`,
  async () => {
    if (!debian) return;
    const succeed = async (command: readonly string[], user?: string) => {
      const { stdout, stderr, exitCode } = await debian.run(command, user);
      expect({ command, exitCode, stderr }).toMatchObject({ exitCode: 0 });
      return stdout;
    };
    copyFileSync(file, join(debian.path, 'root/petstore.deb'));
    const before = listFiles(debian.path);
    await succeed(['dpkg', '--install', '/root/petstore.deb']);
    // Compares the checksums.
    expect(await succeed(['dpkg', '--verify', 'petstore'])).toBe('');
    const added = (await succeed(['dpkg', '--listfiles', 'petstore'])).split('\n').filter((path) => !before.has(path));
    expect(added).toEqual(expect.arrayContaining(['/usr/bin/petstore', '/usr/share/doc/petstore/copyright']));

    await succeed(['useradd', '--create-home', 'ada']);
    const listed = await succeed(['petstore', 'pets', 'list', '--status', 'available', '--output', 'csv'], 'ada');
    expect(listed).toContain('1,Ada,1,available');
    expect(await succeed(['man', '-w', 'petstore', 'petstore-pets-list', 'petstore-formats'], 'ada')).toBe(
      '/usr/share/man/man1/petstore.1.gz\n/usr/share/man/man1/petstore-pets-list.1.gz\n/usr/share/man/man7/petstore-formats.7.gz',
    );
    // bash-completion loads the file when the name of the program is completed for the first time.
    const script = `. /usr/share/bash-completion/bash_completion
_completion_loader petstore
COMP_LINE='petstore pets li' COMP_POINT=16 COMP_CWORD=2 COMP_WORDS=(petstore pets li)
_petstore petstore li pets
echo "\${COMPREPLY[@]}"`;
    expect(await succeed(['bash', '-c', script], 'ada')).toBe('list');

    await succeed(['dpkg', '--purge', 'petstore']);
    expect(added.filter((path) => existsSync(join(debian.path, path)))).toEqual([]);
    expect(existsSync(join(debian.path, 'home/ada/.local/share/petstore/sandbox/store.db'))).toBe(true);
  },
  600_000,
);

function listFiles(root: string): ReadonlySet<string> {
  // Reading /proc and /dev is not needed, since no package has files there.
  const names = readdirSync(join(root, 'usr'), { recursive: true, encoding: 'utf8' });
  return new Set(['/.', '/usr', ...names.map((path) => `/usr/${path}`)]);
}
