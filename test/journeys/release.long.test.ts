import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { buildRelease } from '../support/build-release.js';

interface Sbom {
  readonly metadata: { readonly component: object };
  readonly components: readonly { readonly name: string; readonly version: string; readonly scope: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const needsBun = 'needs the runtime of Bun from npm';
const build = buildRelease({ SOURCE_DATE_EPOCH: '1700000000' });
const rebuild = build.isMissing ? build : buildRelease({ SOURCE_DATE_EPOCH: '1700000000', TZ: 'Asia/Tokyo' });
const npmPackage = `petstore-cli-${packageJson.version}`;
const names = build.error === '' ? readdirSync(build.output) : [];
const archive = names.find((name) => /^petstore-\d.*\.tar\.gz$/.test(name)) ?? '';
const folder = archive.replace('.tar.gz', '');

const read = (name: string) => readFileSync(join(build.output, name), 'utf8');

test.skipIf(build.isMissing)(
  `a release has an archive, a package, and a list of components for each (${needsBun})`,
  () => {
    expect(build.error).toBe('');
    const expected = ['SHA256SUMS', 'install.sh', archive, `${folder}.cdx.json`];
    expect(names.sort()).toEqual([...expected, `${npmPackage}.cdx.json`, `${npmPackage}.tgz`].sort());
  },
);

test.skipIf(build.isMissing)(`SHA256SUMS lists all other files (${needsBun})`, async () => {
  const lines = read('SHA256SUMS').trim().split('\n');
  expect(lines.map((line) => line.slice(66))).toEqual(names.filter((name) => name !== 'SHA256SUMS').sort());
  await execa('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: build.output });
});

test.skipIf(build.isMissing)(`another build gives the same bytes (${needsBun})`, () => {
  expect(rebuild.error).toBe('');
  expect(readFileSync(join(rebuild.output, 'SHA256SUMS'), 'utf8')).toBe(read('SHA256SUMS'));
});

test.skipIf(build.isMissing)(`files in the archive have a fixed owner, mode and time (${needsBun})`, async () => {
  const args = [
    '--list',
    '--verbose',
    '--numeric-owner',
    '--full-time',
    '--gzip',
    '--file',
    join(build.output, archive),
  ];
  const { stdout } = await execa('tar', args, { env: { TZ: 'UTC' } });
  const entries = stdout.split('\n').map((line) => line.split(/ +/));
  const paths = entries.map(([, , , , , path = '']) => path.replace(`${folder}/`, ''));
  const modes = entries.map(([mode = '', owner, , day, time], index) => {
    expect([owner, day, time]).toEqual(['0/0', '2023-11-14', '22:13:20']);
    return [paths[index], mode];
  });
  expect(Object.fromEntries(modes)).toMatchObject({ petstore: '-rwxr-xr-x', LICENSE: '-rw-r--r--' });
  const files = paths.filter((path) => !/^man\/man[17]\/.+\.[17]$|\/$|^$/.test(path));
  expect(files.sort()).toEqual([
    'LICENSE',
    'README.md',
    'THIRD-PARTY-LICENSES.txt',
    ...['_petstore', 'petstore.bash', 'petstore.fish', 'petstore.ps1'].map((name) => `completions/${name}`),
    'petstore',
  ]);
});

test.skipIf(build.isMissing)(`the executable has no path of the machine that built it (${needsBun})`, () => {
  const executable = readFileSync(join(`${build.output}-unpacked`, folder, 'petstore'));
  expect(executable.includes(join(import.meta.dirname, '../../out/'))).toBe(false);
});

test.skipIf(build.isMissing)(
  `the components of the npm package are those in it and its dependencies (${needsBun})`,
  () => {
    const sbom: Sbom = JSON.parse(read(`${npmPackage}.cdx.json`));
    const bundled = [
      ...readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8').matchAll(/(?:^|-{80}\n\n)(\S+) (\S+) \(/g),
    ];
    const isRequired = sbom.components.filter(({ scope }) => scope === 'required');
    expect(isRequired.map(({ name, version }) => `${name} ${version}`).sort()).toEqual(
      bundled.map(([, name, version]) => `${name} ${version}`).sort(),
    );
    const all = sbom.components.map(({ name }) => name);
    expect(all).toEqual(expect.arrayContaining(Object.keys(packageJson.optionalDependencies)));
    expect(all).not.toContain('vitest');
    expectConnected(sbom);
  },
);

test.skipIf(build.isMissing)(
  `the components of the executable include its runtime and its keyring (${needsBun})`,
  () => {
    const sbom: Sbom = JSON.parse(read(`${folder}.cdx.json`));
    const all = sbom.components.map(({ name, version }) => `${name} ${version}`);
    expect(all).toContainEqual(expect.stringMatching(/^bun \d/));
    const { devDependencies, optionalDependencies } = packageJson;
    expect(all).toContain(`undici ${devDependencies.undici}`);
    const isKeyring = (name: string) => name.startsWith(`@napi-rs/keyring-${process.platform}-${process.arch}`);
    expect(all.filter(isKeyring)).toEqual([expect.stringContaining(` ${optionalDependencies['@napi-rs/keyring']}`)]);
    expect(all.filter((name) => /^(?:vitest|typescript|rolldown) /.test(name))).toEqual([]);
    const [digest] =
      read('SHA256SUMS')
        .split('\n')
        .find((line) => line.endsWith(archive))
        ?.split(' ') ?? [];
    expect(sbom.metadata.component).toMatchObject({ hashes: [{ alg: 'SHA-256', content: digest }] });
    expectConnected(sbom);
  },
);

/** Fails unless every component is a dependency of another one or of petstore. */
function expectConnected({ components, dependencies }: Sbom) {
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  expect([...needed].sort()).toEqual(components.map(({ name, version }) => `${name}@${version}`).sort());
}
