// What the parts cost by themselves, without anything of petstore's: Commander, then a request with undici or one with
// SQLite, then lossless-json; bundled and kept as petstore is. Duties are what every request of petstore has to do beside,
// with nothing around them: the nouns and flags declared, two turns of a ledger on disk under a lock, the account's
// digest, signals held. What is left up to petstore's own time is code that checks, words and decides.
// `node bench/parts.js [rounds] [path of another node]`
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

/** What lies around a request: `before` it and `after` it is answered. */
const bare = { imports: '', before: '', after: '' };
const duties = {
  imports: "import { sha256 } from '@noble/hashes/sha2.js';",
  before: `
    for (const noun of 'auth profile config sandbox serve api orders quota doctor completion help'.split(' '))
      program.command(noun).description('what this noun is for');
    for (const flag of 'abcdefghijklmnop') program.option('--flag-' + flag + ' <value>', 'what this flag does');
    const fs = require('node:fs');
    const home = process.env.HOME + '/duties';
    fs.mkdirSync(home, { recursive: true });
    for (let place = 0; place < 3; place += 1) fs.statSync(home + '/config.json', { throwIfNoEntry: false });
    const account = Buffer.from(sha256(Buffer.from(process.env.PETSTORE_API_KEY))).toString('hex');
    const file = home + '/' + account + '.json';
    const turn = () => {
      fs.writeFileSync(file + '.lock', String(process.pid), { flag: 'wx' });
      fs.readFileSync(file + '.lock', 'utf8');
      const isThere = fs.lstatSync(file, { throwIfNoEntry: false });
      const entry = isThere ? JSON.parse(fs.readFileSync(file, 'utf8')) : { turns: 0 };
      fs.writeFileSync(file + '.tmp', JSON.stringify({ turns: entry.turns + 1 }), { flag: 'wx' });
      fs.renameSync(file + '.tmp', file);
      fs.readFileSync(file + '.lock', 'utf8');
      fs.unlinkSync(file + '.lock');
    };
    const ended = new AbortController();
    const end = () => ended.abort();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
    turn();`,
  after: `
    turn();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, end);
    fs.writeSync(2, 'what is left of the quota\\n');`,
};

const request = ({
  imports,
  before,
  after,
}) => `import Client from 'undici/lib/dispatcher/client.js';
    ${imports}
    ${declare(`${before}
      const base = new URL(process.env.PETSTORE_BASE_URL);
      const client = new Client(base.origin);
      const headers = { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY };
      const chunks = [];
      client.dispatch({ method: 'GET', path: base.pathname + '/pets', headers }, {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_, chunk) { chunks.push(chunk); },
        onResponseEnd() {
          ${after}
          require('node:fs').writeSync(1, stringify(parse(Buffer.concat(chunks).toString())));
          process.exit();
        },
        onResponseError(_, error) { throw error; },
      });`)}`;

const parts = {
  undici: request(bare),
  duties: request(duties),
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
    if (${name !== 'sqlite'} && Number.parseInt(process.versions.node, 10) < 22) {
      require('node:v8').setFlagsFromString('--liftoff-only');
    }
    require('./compile-cache.js').load('part.cjs');`,
  );
  // Only what says its content is kept.
  const part = join(folder, 'dist/part.cjs');
  const text = readFileSync(part, 'utf8');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  writeFileSync(part, `// ${digest}\n${text}`);
  return start;
}

const bundles = { undici: bundle('undici'), duties: bundle('duties'), sqlite: bundle('sqlite') };
const served = await serve(directory);
const list = ['pets', 'list', '--json'];
const programs = [
  ['bare http.get', [bareGet(directory)], served.env],
  ['Commander, undici, lossless-json', [bundles.undici, ...list], served.env],
  ['the same, with the duties', [bundles.duties, ...list], served.env],
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
