import { execFileSync } from 'node:child_process';

/** The Debian package of each library, and the prefix of the versions of its symbols. */
const packages = {
  libc6: { libraries: /^(?:libc|libdl|libm|libpthread|librt|ld-linux-.*)\.so\.\d$/, symbols: 'GLIBC' },
  'libgcc-s1': { libraries: /^libgcc_s\.so\.1$/, symbols: 'GCC' },
};

/** Returns the packages with the libraries of these programs, each with the lowest version that has all symbols. */
export function readDependencies(files) {
  const text = execFileSync('readelf', ['-W', '-d', '-V', ...files], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    env: { ...process.env, LC_ALL: 'C' },
  });
  const libraries = [...text.matchAll(/Shared library: \[(.+)\]/g)].map(([, name]) => name);
  const names = libraries.map(findPackage);
  const isNeeded = (name) => names.includes(name);
  return Object.keys(packages)
    .filter(isNeeded)
    .map((name) => `${name} (>= ${findVersion(text, packages[name].symbols)})`);
}

function findPackage(library) {
  const name = Object.keys(packages).find((key) => packages[key].libraries.test(library));
  if (name === undefined) throw new Error(`no Debian package is known for ${library}`);
  return name;
}

function findVersion(text, symbols) {
  const versions = [...text.matchAll(new RegExp(`Name: ${symbols}_(\\d[\\d.]*)`, 'g'))].map(([, found]) => found);
  return versions.sort(new Intl.Collator('en', { numeric: true }).compare).at(-1);
}
