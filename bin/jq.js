'use strict';

const { parentPort } = require('node:worker_threads');

/**
 * Runs jq on a thread, so that petstore can end it (see `src/format/jq-runner.ts`). Works around what jq-web does:
 * `debug` prints to the console, and programs see `process.argv` and `process.env`.
 */
let debugOutput = '';
console.warn = (...values) => {
  debugOutput += `${values.at(-1)}\n`;
};

const { grow } = WebAssembly.Memory.prototype;

/** Without a limit, jq could use all memory of the machine. */
const maxBytes = 2 ** 30;

WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65_536 > maxBytes) throw new RangeError('bounded');
  return grow.call(this, pages);
};

// Hides the path of petstore from programs.
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
      const { stderr, message } = error;
      parentPort.postMessage({ failure: 'error', message: stderr ?? message });
    }
  });
}
