// Compiles petstore for one target. Runs on Bun: compile.js <target> <packages of the target> <its Bun> <output>
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [target, packages, executablePath, outfile] = process.argv.slice(2);
process.chdir(join(import.meta.dirname, '..'));

/** Sets what replaces `__dirname`, which Bun would replace with a folder of this machine. */
const setDirectory = (path) =>
  `const { dirname, join } = require('node:path'); globalThis.moduleDirectory = join(dirname(Bun.main), '${path}');`;

const keyring = [...new Bun.Glob('@napi-rs/keyring-*/*.node').scanSync({ cwd: packages, absolute: true })][0];

const plugin = {
  name: 'petstore',
  setup: (build) => {
    // The loader of this package also looks into the working directory, where anybody may have put a module.
    build.onResolve({ filter: /^@napi-rs\/keyring$/ }, () => ({ path: keyring }));
    // The executable contains compiled code. Its JIT policy is for short commands; imports and servers run longer.
    build.onLoad({ filter: /\bcode-cache\.js$/ }, () => ({
      contents: `${setDirectory('dist')}
        setTimeout(() => Bun.unsafe.setJITPolicy(1), 100).unref();
        exports.loadWithCodeCache = () => require('../dist/main.cjs');`,
    }));
    build.onLoad({ filter: /\bjq-worker\.js$/ }, ({ path }) => ({
      contents: `${setDirectory('..')} {${readFileSync(path, 'utf8')}}`,
    }));
  },
};

const { metafile } = await Bun.build({
  entrypoints: ['bin/petstore.js', 'bin/jq-worker.js'],
  root: '.',
  compile: {
    target: `bun-${target.replace('win32', 'windows')}`,
    executablePath,
    outfile,
    // Files that petstore reads when it runs. Bun puts them beside the program.
    assets: ['man', 'dist', 'node_modules/jq-web/jq.wasm'],
    jitPolicy: 20,
    // A file in the working directory must not set variables such as PETSTORE_BASE_URL.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
  bytecode: true,
  format: 'cjs',
  define: { __dirname: 'globalThis.moduleDirectory', __filename: '"/petstore.cjs"' },
  // Bun contains SQLite. @redis/client uses the other package in a function that petstore does not call.
  external: ['@photostructure/sqlite/*', '@node-rs/xxhash'],
  metafile: true,
  plugins: [plugin],
});
const inputs = Object.keys(metafile.inputs);
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
// Bun skips packages that are not installed.
const missing = Object.keys(optionalDependencies).find(
  (name) => name !== '@photostructure/sqlite' && !inputs.some((id) => id.includes(`node_modules/${name}`)),
);
if (missing !== undefined) throw new Error(`the package ${missing} is not installed`);
writeFileSync(outfile.replace(/(\.exe)?$/, '-licenses.txt'), collectLicenses());

/** Returns the licenses of petstore's bundle, of the packages that Bun adds, and of Bun and the libraries that it links. */
function collectLicenses() {
  const roots = new Set(inputs.flatMap((id) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  const read = (name) => readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll('<version>', Bun.version);
  const bun = `Bun ${Bun.version}\n\n${read('bun-license.txt')}\n${read('lgpl-2.1.txt')}`;
  const bundled = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
  return [bundled, ...[...roots].map(readLicense).sort(), bun].join(`\n${'-'.repeat(80)}\n\n`);
}

function readLicense(root) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = readdirSync(root).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const text = files.map((file) => readFileSync(join(root, file), 'utf8').trim()).join('\n\n');
  return `${name} ${version} (${license})\n\n${text}\n`;
}
