import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type Schema } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isInstalled } from './support/is-installed.js';
import { temporaryDirectory } from './support/petstore.js';

const folder = join(import.meta.dirname, '../release');
const { artifacts, version } = await import(join(folder, 'artifacts.js'));
const { readPublisher } = await import(join(folder, 'publisher.js'));
const { writeFormula } = await import(join(folder, 'homebrew.js'));
const { writeScoopManifest } = await import(join(folder, 'scoop.js'));
const { writeWingetManifests } = await import(join(folder, 'winget.js'));

const publisherEnv = {
  RELEASE_DOWNLOAD_URL: `https://downloads.example/petstore/v${version}/`,
  RELEASE_HOMEPAGE: 'https://petstore.example',
  RELEASE_PUBLISHER: 'Example Packages <packages@petstore.example>',
};

const hex64 = { type: 'string', pattern: '^[A-Fa-f0-9]{64}$' };
const webAddress = { type: 'string', pattern: '^https://[^$]+$', maxLength: 2048 };
const text = { type: 'string', minLength: 3, maxLength: 256 };

/** The part of https://github.com/ScoopInstaller/Scoop/blob/master/schema.json that petstore uses. */
const scoopArchitecture = (fields: Readonly<Record<string, Schema>>) =>
  closed({ '64bit': closed({ ...fields, extract_dir: { type: 'string' } }) });
const scoopSchema = closed(
  {
    version: { type: 'string', pattern: '^[\\w\\.\\-+_]+$' },
    description: text,
    homepage: webAddress,
    license: { const: 'MIT' },
    architecture: scoopArchitecture({ url: webAddress, hash: hex64 }),
    bin: { type: 'string' },
    checkver: closed({ github: webAddress, url: webAddress, regex: text }, []),
    autoupdate: closed({ architecture: scoopArchitecture({ url: text }), hash: closed({ url: text }) }),
  },
  ['version', 'homepage', 'license', 'architecture', 'bin'],
);

/** The parts of https://github.com/microsoft/winget-cli/tree/master/schemas/JSON/manifests/v1.12.0 that petstore uses. */
const wingetCommon = {
  PackageIdentifier: { type: 'string', pattern: '^[^.\\s\\\\/:*?"<>|]{1,32}(\\.[^.\\s\\\\/:*?"<>|]{1,32}){1,7}$' },
  PackageVersion: { type: 'string', pattern: '^[^\\\\/:*?"<>|]+$' },
  ManifestVersion: { const: '1.12.0' },
};
const wingetSchemas: Readonly<Record<string, Schema>> = {
  version: closed({ ...wingetCommon, DefaultLocale: { const: 'en-US' }, ManifestType: { const: 'version' } }),
  installer: closed({
    ...wingetCommon,
    ManifestType: { const: 'installer' },
    InstallerType: { const: 'zip' },
    NestedInstallerType: { const: 'portable' },
    ReleaseDate: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    Installers: {
      type: 'array',
      minItems: 1,
      items: closed({
        Architecture: { enum: ['x64', 'arm64'] },
        InstallerUrl: webAddress,
        InstallerSha256: hex64,
        NestedInstallerFiles: {
          type: 'array',
          minItems: 1,
          items: closed({
            RelativeFilePath: { type: 'string', pattern: '^[^/]+\\\\petstore\\.exe$' },
            PortableCommandAlias: { const: 'petstore' },
          }),
        },
      }),
    },
  }),
  defaultLocale: closed({
    ...wingetCommon,
    ManifestType: { const: 'defaultLocale' },
    PackageLocale: { const: 'en-US' },
    Publisher: text,
    PackageName: text,
    PackageUrl: webAddress,
    License: text,
    ShortDescription: text,
    Moniker: { type: 'string', maxLength: 40 },
    Tags: { type: 'array', maxItems: 16, uniqueItems: true, items: { type: 'string', minLength: 1, maxLength: 40 } },
  }),
};

test('the Homebrew formula has an address and a hash for each platform', () => {
  const { read, hashOf } = writeRelease();
  const formula = read('petstore.rb');
  for (const { homebrew, archive } of artifacts) {
    if (!homebrew) continue;
    const block = `on_${homebrew[1]} do\n      url "https://downloads.example/petstore/v${version}/${archive}"\n      sha256 "${hashOf(archive)}"`;
    expect(formula.slice(formula.indexOf(`on_${homebrew[0]} do`))).toContain(block);
  }
  expect(formula.match(/sha256/g)).toHaveLength(4);
  // `brew audit` rejects these.
  expect(/desc "(.*)"/.exec(formula)?.[1]).toMatch(/^(?!(?:An?|The|Petstore)\b)[A-Z].{1,78}[^.]$/);
});

test.skipIf(!isInstalled('ruby'))('the Homebrew formula is valid Ruby (needs ruby)', () => {
  const { output } = writeRelease();
  const { stdout, stderr } = spawnSync('ruby', ['-wc', join(output, 'petstore.rb')], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'Syntax OK\n', stderr: '' });
});

test('the Scoop manifest matches the schema and has the hash of the archive', () => {
  const { read, hashOf } = writeRelease();
  const manifest = JSON.parse(read('petstore.json'));
  expectValid(scoopSchema, manifest);
  expect(manifest.architecture['64bit']).toEqual({
    url: `https://downloads.example/petstore/v${version}/petstore-${version}-windows-x64.zip`,
    hash: hashOf(`petstore-${version}-windows-x64.zip`),
    extract_dir: `petstore-${version}-windows-x64`,
  });
  // Nothing names the address of the next version.
  expect(Object.keys(manifest)).not.toContain('checkver');
});

test.each([
  [
    `https://github.com/example/petstore/releases/download/v${version}`,
    { github: 'https://github.com/example/petstore' },
  ],
  ['https://get.example', { url: 'https://get.example/SHA256SUMS', regex: 'petstore-([\\d.]+)-windows-' }],
])('the Scoop manifest finds updates at %s', (downloadUrl, checkver) => {
  const { read } = writeRelease({ RELEASE_DOWNLOAD_URL: downloadUrl });
  const manifest = JSON.parse(read('petstore.json'));
  expectValid(scoopSchema, manifest);
  expect(manifest.checkver).toEqual(checkver);
  const { url } = manifest.autoupdate.architecture['64bit'];
  expect(url).toContain('petstore-$version-windows-x64.zip');
  expect(url.replaceAll('$version', version)).toBe(manifest.architecture['64bit'].url);
});

test('the winget manifests match the schemas and have the hash of the archive', () => {
  const { output, read, hashOf } = writeRelease();
  const names = readdirSync(output).filter((name) => name.endsWith('.yaml'));
  expect(names.sort()).toEqual([
    'ExamplePackages.petstore.installer.yaml',
    'ExamplePackages.petstore.locale.en-US.yaml',
    'ExamplePackages.petstore.yaml',
  ]);
  for (const name of names) {
    const manifest = parse(read(name));
    expectValid(wingetSchemas[manifest.ManifestType] ?? false, manifest);
  }
  const archive = `petstore-${version}-windows-x64.zip`;
  const { Installers } = parse(read('ExamplePackages.petstore.installer.yaml'));
  expect(Installers).toMatchObject([
    {
      InstallerUrl: `https://downloads.example/petstore/v${version}/${archive}`,
      InstallerSha256: hashOf(archive).toUpperCase(),
    },
  ]);
});

test.each([
  [{ RELEASE_HOMEPAGE: '', RELEASE_PUBLISHER: '' }, /packages need RELEASE_HOMEPAGE, RELEASE_PUBLISHER$/],
  [{ RELEASE_PUBLISHER: 'Example' }, /RELEASE_PUBLISHER is not "Name <email>": Example/],
  [{ RELEASE_HOMEPAGE: 'http://petstore.example' }, /RELEASE_HOMEPAGE must be an https:\/\/ URL without user/],
  [{ RELEASE_HOMEPAGE: 'https://petstore.example/#{x}' }, /RELEASE_HOMEPAGE must be an https:\/\/ URL without user/],
])('a release with packages rejects %j', (env, message) => {
  expect(() => readPublisher({ ...publisherEnv, ...env })).toThrow(message);
});

/** Writes the manifests of a release with small archives. */
function writeRelease(env: Readonly<Record<string, string>> = {}) {
  const output = temporaryDirectory();
  for (const { archive } of artifacts) writeFileSync(join(output, archive), `the content of ${archive}`);
  const release = { artifacts, output, publisher: readPublisher({ ...publisherEnv, ...env }), time: 1_800_000_000 };
  for (const write of [writeFormula, writeScoopManifest, writeWingetManifests]) write(release);
  const read = (name: string) => readFileSync(join(output, name), 'utf8');
  const hashOf = (name: string) => createHash('sha256').update(read(name)).digest('hex');
  return { output, read, hashOf };
}

function closed(properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function expectValid(schema: Schema, value: unknown) {
  const ajv = new Ajv({ allErrors: true });
  const isValid = ajv.validate(schema, value);
  expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
}
