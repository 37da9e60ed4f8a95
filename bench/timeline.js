// Prints the milestones of `pets list --json` and of a bare `http.get` of the same list, in milliseconds since the start
// of the process, for the fastest of many runs. `node bench/timeline.js [runs] [path of another node]`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { petstore, serve, writeBareGet } from './served.js';

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
    if (/\\.cjs$/.test(path)) mark('loading ' + path.replace(/^.*[/\\\\]/, '').replace(/(-[\\w-]{8})?\\.cjs$/, ''));
    return open(path, ...rest);
  };
  const unlink = fs.unlinkSync;
  fs.unlinkSync = (path) => { unlink(path); if (path.endsWith('.lock')) mark('quota state written'); };
  const write = fs.writeSync;
  fs.writeSync = (to, ...rest) => { if (to === 1) mark('result written'); return write(to, ...rest); };
  process.on('exit', () => { mark('exit'); write(3, JSON.stringify(marks)); });`,
);

const server = await serve(directory);
try {
  for (const [name, args] of [
    ['bare http.get', [writeBareGet(directory)]],
    ['petstore pets list --json', [petstore, 'pets', 'list', '--json']],
  ]) {
    const all = Array.from({ length: Number(runs) }, () => run(args));
    const { marks, total } = all.reduce((best, one) => (one.total < best.total ? one : best));
    console.log(`\n${name}`);
    for (const [what, at] of [...marks, ['process ended', total]]) {
      console.log(`${at.toFixed(1).padStart(7)}  ${what}`);
    }
  }
} finally {
  server.child.kill();
  await once(server.child, 'close');
  rmSync(directory, { recursive: true, force: true });
}

function run(args) {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'];
  const start = process.hrtime.bigint();
  const { status, stderr, output } = spawnSync(node, ['-r', preload, ...args], {
    env: server.env,
    stdio,
  });
  const total = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(String(stderr));
  return { marks: JSON.parse(String(output[3])), total };
}
