// Where the time of one `pets list --json` goes, beside a bare `http.get` of the same list: milestones of the fastest
// of many runs, in milliseconds since the process began. `node bench/timeline.js [runs] [path of another node]`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareGet, petstore, serve } from './served.js';

const [runs = '25', node = process.execPath] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const preload = join(directory, 'milestones.cjs');
writeFileSync(
  preload,
  `const marks = [];
  const mark = (name) => marks.push([name, performance.now()]);
  mark('Node.js has started');
  const Module = require('node:module');
  const load = Module._load;
  const seen = new Set();
  Module._load = function (id, ...rest) {
    const result = load.call(this, id, ...rest);
    if (!seen.has(id) && /^node:(net|http|v8)$/.test(id)) mark('loaded ' + id);
    seen.add(id);
    return result;
  };
  const { Module: Wasm } = WebAssembly;
  WebAssembly.Module = class extends Wasm { constructor(bytes) { mark('connected'); super(bytes); mark('parser compiled'); } };
  const fs = require('node:fs');
  const open = fs.openSync;
  fs.openSync = (path, ...rest) => {
    if (/\\.cjs$/.test(path)) mark('loads ' + path.replace(/^.*[/\\\\]/, '').replace(/(-[\\w-]{8})?\\.cjs$/, ''));
    return open(path, ...rest);
  };
  const unlink = fs.unlinkSync;
  fs.unlinkSync = (path) => { unlink(path); if (path.endsWith('.lock')) mark('ledger written'); };
  const write = fs.writeSync;
  fs.writeSync = (to, ...rest) => { if (to === 1) mark('result written'); return write(to, ...rest); };
  process.on('exit', () => { mark('exit'); write(3, JSON.stringify(marks)); });`,
);

const served = await serve(directory);
try {
  for (const [name, args] of [
    ['bare http.get', [bareGet(directory)]],
    ['petstore pets list --json', [petstore, 'pets', 'list', '--json']],
  ]) {
    const all = Array.from({ length: Number(runs) }, () => run(args));
    const { marks, total } = all.reduce((best, one) => (one.total < best.total ? one : best));
    console.log(`\n${name}`);
    for (const [what, at] of [...marks, ['the process has ended', total]]) {
      console.log(`${at.toFixed(1).padStart(7)}  ${what}`);
    }
  }
} finally {
  served.child.kill();
  await once(served.child, 'close');
  rmSync(directory, { recursive: true, force: true });
}

function run(args) {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'];
  const start = process.hrtime.bigint();
  const { status, stderr, output } = spawnSync(node, ['-r', preload, ...args], {
    env: served.env,
    stdio,
  });
  const total = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(String(stderr));
  return { marks: JSON.parse(String(output[3])), total };
}
