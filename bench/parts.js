// What the parts cost by themselves, without anything of petstore's: Commander, then a request with undici or one with
// SQLite, then lossless-json or cli-table3; bundled and kept as petstore is. Duties are what every request of petstore has
// to do beside, with nothing around them: the nouns and flags declared, two turns of a ledger on disk under a lock, the
// account's digest, signals held. What is left up to petstore's own time is code that checks, words and decides.
// `node bench/parts.js [rounds] [path of another node]`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { bareGet, median, petstore, serve, timeOf } from './served.js';

const [rounds = '31', node = process.execPath] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));

const declare = (imports, action) => `import { Command } from 'commander';
import { parse, stringify } from 'lossless-json';
${imports}
export function main() {
  const program = new Command('petstore');
  program.command('pets').command('list').option('--json').action(() => { ${action} });
  program.parse();
}`;

/** What lies around a request: `before` it and `after` it is answered. */
const bare = { imports: '', before: '', after: '' };
const duties = {
  imports: "import { sha256 } from '@noble/hashes/sha2.js';",
  before: `
    for (const noun of 'auth profile config sandbox serve api orders quota doctor completion help'.split(' '))
      program.command(noun).description('what this noun is for');
    for (const flag of 'abcdefghijklmnop') program.option('--flag-' + flag + ' <value>', 'what this flag does');
    const home = process.env.HOME + '/duties';
    fs.mkdirSync(home, { recursive: true });
    for (let place = 0; place < 3; place += 1) fs.statSync(home + '/config.json', { throwIfNoEntry: false });
    const account = Buffer.from(sha256(Buffer.from(process.env.PETSTORE_API_KEY ?? 'sandbox'))).toString('hex');
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

const noLines = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);

const asJson = { imports: '', print: 'const print = (list) => fs.writeSync(1, stringify(list));' };
const asTable = {
  imports: "import Table from 'cli-table3';",
  print: `const print = (list) => {
    const names = Object.keys(list[0]);
    const table = new Table({ chars: ${JSON.stringify(noLines)}, style: { head: [], border: [] } });
    table.push(names.map((name) => 'x'.repeat(Math.max(...list.map((one) => String(one[name]).length)))));
    const line = table.toString();
    fs.writeSync(1, list.map((one) => {
      let column = 0;
      return line.replace(/x+/g, (run) => String(one[names[column++]]).padEnd(run.length));
    }).join('\\n'));
  };`,
};

const request = ({ imports, before, after }, output = asJson) =>
  declare(
    `import Client from 'undici/lib/dispatcher/client.js'; ${imports} ${output.imports}`,
    `const fs = require('node:fs');
      ${before}
      ${output.print}
      const flags = Number.parseInt(process.versions.node, 10) < 22 ? ['--liftoff-only', '--no-wasm-lazy-compilation'] : [];
      for (const flag of flags) require('node:v8').setFlagsFromString(flag);
      const usual = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-lazy-compilation'];
      const base = new URL(process.env.PETSTORE_BASE_URL);
      const client = new Client(base.origin);
      const headers = { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY };
      const chunks = [];
      client.dispatch({ method: 'GET', path: base.pathname + '/pets', headers }, {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_, chunk) { chunks.push(chunk); },
        onResponseEnd() {
          for (const flag of flags.length > 0 ? usual : []) require('node:v8').setFlagsFromString(flag);
          ${after}
          print(parse(Buffer.concat(chunks).toString()));
          process.exit();
        },
        onResponseError(_, error) { throw error; },
      });`,
  );

/** The store asks who it is, counts the request and reads a page: three statements, the middle one in a transaction. */
const embedded = ({ imports, before, after }, output = asJson) =>
  declare(
    `${imports} ${output.imports}`,
    `const fs = require('node:fs');
      ${before}
      ${output.print}
      const isBuiltIn = Number.parseInt(process.versions.node, 10) >= 24;
      const { DatabaseSync } = require(isBuiltIn ? 'node:sqlite' : '@photostructure/sqlite');
      const database = new DatabaseSync(process.env.HOME + '/parts.db');
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      if (database.prepare('PRAGMA user_version').get().user_version === 0) {
        database.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, status TEXT); CREATE TABLE keys (digest TEXT PRIMARY KEY, used INTEGER); PRAGMA user_version = 1');
        database.exec("INSERT INTO keys VALUES ('a', 0)");
        for (let id = 1; id <= 20; id += 1) database.exec("INSERT INTO pets VALUES (" + id + ", 'Ada', 'available')");
      }
      database.prepare('SELECT * FROM keys WHERE digest = ?').get('a');
      database.exec('BEGIN IMMEDIATE');
      database.prepare('UPDATE keys SET used = used + 1 WHERE digest = ?').run('a');
      database.exec('COMMIT');
      const text = JSON.stringify(database.prepare('SELECT * FROM pets ORDER BY id LIMIT ?').all(20));
      ${after}
      print(parse(text));
      database.close();
      process.exit();`,
  );

const parts = {
  undici: request(bare),
  undiciDuties: request(duties),
  sqlite: embedded(bare),
  sqliteDuties: embedded(duties),
  sqliteTable: embedded(duties, asTable),
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
      output: { format: 'cjs', dir: ${JSON.stringify(join(folder, 'dist'))}, entryFileNames: 'main.cjs', minify: true },
    };`,
  );
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
  const built = spawnSync(process.execPath, [rolldown, '-c', join(folder, 'rolldown.config.ts')], {
    cwd: root,
  });
  if (built.status !== 0) throw new Error(String(built.stderr));
  const start = join(folder, 'bin/petstore.js');
  cpSync(dirname(petstore), dirname(start), { recursive: true });
  return start;
}

const bundles = Object.fromEntries(Object.keys(parts).map((name) => [name, bundle(name)]));
const served = await serve(directory);

/** Each script has a home of its own, since all of them keep their code under one name. */
function homeOf(script) {
  const home = join(directory, basename(dirname(dirname(script))));
  mkdirSync(home, { recursive: true });
  return home;
}

function program(name, script, words, env) {
  return [name, [script, ...words], { ...env, HOME: homeOf(script) }];
}

const { bare: sandbox, env: remote } = served;
const json = ['pets', 'list', '--json'];
const table = ['pets', 'list'];
const programs = [
  program('bare http.get', bareGet(directory), [], remote),
  program('Commander, undici, lossless-json', bundles.undici, json, remote),
  program('Commander, undici, duties', bundles.undiciDuties, json, remote),
  program('petstore pets list --json', petstore, json, remote),
  program('Commander, SQLite, lossless-json', bundles.sqlite, json, sandbox),
  program('Commander, SQLite, duties', bundles.sqliteDuties, json, sandbox),
  program('petstore pets list --json, sandbox', petstore, json, sandbox),
  program('Commander, SQLite, duties, cli-table3', bundles.sqliteTable, table, sandbox),
  program('petstore pets list, sandbox', petstore, table, sandbox),
];

try {
  const reset = [petstore, 'sandbox', 'reset', '--yes', '--plan', 'enterprise'];
  timeOf(node, reset, { ...sandbox, HOME: homeOf(petstore) });
  for (let run = 0; run < 3; run += 1)
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
