// What the parts cost by themselves, without anything of petstore's: Commander, then a request with undici or one with
// SQLite, then lossless-json; bundled and kept as petstore is. What is left up to petstore's own time is what gate,
// ledger, settings, contract and rendering cost. `node bench/parts.js [rounds] [path of another node]`
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareGet, median, petstore, serve, timeOf } from './served.js';

const [rounds = '31', node = process.execPath] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));

const declare = (action) => `import { Command } from 'commander';
import { parse, stringify } from 'lossless-json';
const program = new Command('petstore');
program.command('pets').command('list').option('--json').action(() => { ${action} });
program.parse();`;

const parts = {
  undici: `import Client from 'undici/lib/dispatcher/client.js';
    ${declare(`
      const base = new URL(process.env.PETSTORE_BASE_URL);
      const client = new Client(base.origin);
      const headers = { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY };
      const chunks = [];
      client.dispatch({ method: 'GET', path: base.pathname + '/pets', headers }, {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_, chunk) { chunks.push(chunk); },
        onResponseEnd() {
          require('node:fs').writeSync(1, stringify(parse(Buffer.concat(chunks).toString())));
          process.exit();
        },
        onResponseError(_, error) { throw error; },
      });`)}`,
  sqlite: declare(`
      const isBuiltIn = Number.parseInt(process.versions.node, 10) >= 24;
      const { DatabaseSync } = require(isBuiltIn ? 'node:sqlite' : '@photostructure/sqlite');
      const database = new DatabaseSync(process.env.HOME + '/parts.db');
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, name TEXT)');
      database.exec("BEGIN IMMEDIATE; INSERT OR REPLACE INTO pets VALUES (1, 'Ada'); COMMIT");
      process.stdout.write(stringify(parse(JSON.stringify(database.prepare('SELECT * FROM pets').all()))));
      database.close();`),
};

/** One of them, bundled as petstore is, beside the package's own start. */
function bundle(name) {
  const folder = join(root, 'node_modules/.cache/petstore-parts', name);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, 'part.js'), parts[name]);
  writeFileSync(
    join(folder, 'rolldown.config.ts'),
    `import { withoutUnused } from ${JSON.stringify(join(root, 'unused.config.ts'))};
    export default {
      input: ${JSON.stringify(join(folder, 'part.js'))}, platform: 'node', external: ['@photostructure/sqlite'], plugins: [withoutUnused],
      output: { format: 'cjs', dir: ${JSON.stringify(join(folder, 'dist'))}, entryFileNames: 'part.cjs', minify: true },
    };`,
  );
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
  const built = spawnSync(process.execPath, [rolldown, '-c', join(folder, 'rolldown.config.ts')], {
    cwd: root,
  });
  if (built.status !== 0) throw new Error(String(built.stderr));
  cpSync(join(root, 'bin/compile-cache.js'), join(folder, 'bin/compile-cache.js'));
  const start = join(folder, 'bin/start.js');
  writeFileSync(
    start,
    `// Else Node.js 20 compiles undici's parser twice.
    if (${name === 'undici'} && Number.parseInt(process.versions.node, 10) < 22) {
      require('node:v8').setFlagsFromString('--liftoff-only');
    }
    require('./compile-cache.js').enableCompileCache();
    require('../dist/part.cjs');`,
  );
  // Only what says its content is kept.
  const part = join(folder, 'dist/part.cjs');
  const text = readFileSync(part, 'utf8');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  writeFileSync(part, `// ${digest}\n${text}`);
  return start;
}

const bundles = { undici: bundle('undici'), sqlite: bundle('sqlite') };
const served = await serve(directory);
const list = ['pets', 'list', '--json'];
const programs = [
  ['bare http.get', [bareGet(directory)], served.env],
  ['Commander, undici, lossless-json', [bundles.undici, ...list], served.env],
  ['petstore pets list --json', [petstore, ...list], served.env],
  ['Commander, SQLite, lossless-json', [bundles.sqlite, ...list], served.bare],
  ['petstore pets list --json, sandbox', [petstore, ...list], served.bare],
];

try {
  const reset = [petstore, 'sandbox', 'reset', '--yes', '--plan', 'enterprise'];
  timeOf(node, reset, served.bare);
  for (const [, args, env] of programs) timeOf(node, args, env);
  const times = programs.map(() => []);
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const [index, [, args, env]] of programs.entries())
      times[index].push(timeOf(node, args, env));
  }
  const [base, ...others] = times.map(median);
  console.log('| program | of bare http.get |\n| --- | --- |');
  for (const [index, time] of others.entries()) {
    console.log(`| ${programs[index + 1][0]} | ${(time / base).toFixed(2)} |`);
  }
} finally {
  served.child.kill();
  await once(served.child, 'close');
  rmSync(directory, { recursive: true, force: true });
}
