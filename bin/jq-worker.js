'use strict';

/*
 * Runs jq programs on a worker thread, which petstore terminates after a timeout (src/format/jq-runner.ts).
 *
 * jq-web has side effects that a command must not have: it prints the output of `debug` to the console, sets
 * `process.exitCode`, and exposes `process.argv` and `process.env` to programs. All of these stay in this thread. The
 * sender of a program makes sure that it does not begin with a hyphen, which jq would parse as an option, and that it
 * is short enough for jq's stack (src/format/jq-program.ts).
 */

const { parentPort } = require('node:worker_threads');

const wasmPageBytes = 65_536;

/** Beyond this, jq reports that it cannot allocate memory. jq-web itself has no limit. */
const maxMemoryBytes = 2 ** 30;

let debugOutput = '';
console.warn = (...args) => {
  debugOutput += `${args.at(-1)}\n`;
};

const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * wasmPageBytes > maxMemoryBytes) {
    throw new RangeError('jq has reached its memory limit');
  }
  return grow.call(this, pages);
};

// Programs can read the name of the script, which would reveal where petstore is installed.
process.argv[1] = 'jq';

start();

async function start() {
  let jq;
  try {
    jq = await require('jq-web');
  } catch {
    parentPort.postMessage({ failure: 'missing' });
    return;
  }
  parentPort.on('message', ({ program, document }) => {
    debugOutput = '';
    try {
      parentPort.postMessage({ output: jq.raw(document, program, ['-c']) ?? '', debugOutput });
    } catch (error) {
      parentPort.postMessage({ failure: 'jq', message: error.stderr ?? error.message });
    }
  });
}
