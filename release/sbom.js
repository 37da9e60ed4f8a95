import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bunVersion, targets } from '../standalone/runtimes.js';
import { hashFile, packageJson, repository, version } from './artifacts.js';

/**
 * Writes a CycloneDX file for the npm package and for each archive. `npm sbom` knows all packages, but not which of them
 * are in the product: bundled packages are devDependencies. The files with their licenses name them.
 */
export function writeSboms({ artifacts, output, unpacked, time }) {
  const all = readAllPackages();
  const npmName = `${packageJson.name}-${version}`;
  const bundled = readLicenseTitles(join(repository, 'dist/THIRD-PARTY-LICENSES.txt'));
  const installed = findOptionalPackages(all);
  const npmPackage = { purl: `pkg:npm/${packageJson.name}@${version}`, file: join(output, `${npmName}.tgz`) };
  const describe = (ref) => describePackage(all, ref, bundled.includes(ref) ? 'required' : 'optional');
  const npmComponents = [...new Set([...bundled, ...installed])].map(describe);
  write(join(output, `${npmName}.cdx.json`), createSbom(all, npmPackage, npmComponents, time));
  for (const { target, folder, archive } of artifacts) {
    const compiled = readLicenseTitles(join(unpacked, folder, 'THIRD-PARTY-LICENSES.txt'));
    const keyring = findKeyring(all, target);
    const components = [...compiled, keyring].map((ref) => describePackage(all, ref, 'required'));
    const product = { purl: `pkg:generic/petstore@${version}`, file: join(output, archive) };
    write(join(output, `${folder}.cdx.json`), createSbom(all, product, [...components, describeBun(target)], time));
  }
}

function write(path, sbom) {
  writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`);
}

/** Returns what `npm sbom` knows about all packages of package-lock.json. */
function readAllPackages() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const options = { cwd: repository, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'inherit'] };
  const { components, dependencies, ...document } = JSON.parse(execFileSync('npm', args, options));
  return {
    document,
    components: new Map(components.map((component) => [component['bom-ref'], component])),
    dependencies: new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])),
  };
}

/** Returns `name@version` of each package in a file with licenses. Bun is not a package of package-lock.json. */
function readLicenseTitles(path) {
  const parts = readFileSync(path, 'utf8').split(`\n${'-'.repeat(80)}\n\n`);
  const titles = parts.map((part) => /^(\S+) (\S+) \(/.exec(part)?.slice(1).join('@'));
  if (titles.includes(undefined)) throw new Error(`${path} has a license without a title`);
  return titles.filter((ref) => ref !== `Bun@${bunVersion}`);
}

/** Returns the optional packages and their dependencies. */
function findOptionalPackages({ dependencies }) {
  const names = Object.entries(packageJson.optionalDependencies).map(([name, version]) => `${name}@${version}`);
  const found = new Set(names);
  for (const ref of found) for (const dependency of dependencies.get(ref) ?? []) found.add(dependency);
  return [...found];
}

function findKeyring({ components }, target) {
  const prefix = `@napi-rs/keyring-${targets[target].keyring}@`;
  return [...components.keys()].find((ref) => ref.startsWith(prefix));
}

function describePackage({ components }, ref, scope) {
  const component = components.get(ref);
  if (component === undefined) throw new Error(`package-lock.json lacks ${ref}`);
  return { ...component, scope, properties: [] };
}

function describeBun(target) {
  const { bun, integrity } = targets[target];
  return {
    'bom-ref': `bun@${bunVersion}`,
    type: 'platform',
    name: 'bun',
    version: bunVersion,
    scope: 'required',
    purl: `pkg:npm/%40oven/bun-${bun}@${bunVersion}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [
      { license: { id: 'MIT' } },
      { license: { name: 'LGPL-2.0-or-later (JavaScriptCore and WebCore)' } },
      { license: { name: 'LGPL-2.1 (tinycc)' } },
    ],
    externalReferences: [{ type: 'license', url: `https://github.com/oven-sh/bun/blob/bun-v${bunVersion}/LICENSE.md` }],
  };
}

function createSbom({ document, dependencies }, { purl, file }, components, time) {
  const root = document.metadata.component['bom-ref'];
  const sorted = components.sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const refs = new Set(sorted.map((component) => component['bom-ref']));
  const graph = [...refs].map((ref) => ({
    ref,
    dependsOn: (dependencies.get(ref) ?? []).filter((dependency) => refs.has(dependency)),
  }));
  const needed = new Set(graph.flatMap(({ dependsOn }) => dependsOn));
  const direct = dependencies.get(root);
  const dependsOn = [...refs].filter((ref) => direct.includes(ref) || !needed.has(ref));
  const hashes = [{ alg: 'SHA-256', content: hashFile(file) }];
  const component = { ...document.metadata.component, type: 'application', name: packageJson.name, purl, hashes };
  return {
    ...document,
    serialNumber: `urn:uuid:${deriveUuid(hashes[0].content)}`,
    metadata: { ...document.metadata, timestamp: new Date(time * 1000).toISOString(), component },
    components: sorted,
    dependencies: [{ ref: root, dependsOn }, ...graph],
  };
}

/** Returns a UUID that is the same in each build (version 8, RFC 9562 §5.8). */
function deriveUuid(text) {
  const digits = createHash('sha256').update(text).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}
