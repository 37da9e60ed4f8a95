'use strict';

const { parentPort } = require('node:worker_threads');

/**
 * jq on a thread of its own, which petstore ends where it runs on and on (`src/format/jq-runner.ts`). What jq-web does
 * that a command must not, it does here: it writes what a program prints with `debug` to the console, sets
 * `process.exitCode`, shows programs `process.argv` and `process.env` as `$ENV`, takes what begins with a hyphen for
 * an option, and writes past its stack where a program is long. The last two are seen to by whoever sends programs.
 */
let said = '';
console.warn = (...words) => {
  said += `${words.at(-1)}\n`;
};

const { grow } = WebAssembly.Memory.prototype;

/** In bytes: then jq says that it cannot allocate more, where it would take all that the machine has. */
const mostMemory = 2 ** 30;

WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65_536 > mostMemory) throw new RangeError('bounded');
  return grow.call(this, pages);
};

// A program is told by what name it was called, which is where petstore lies.
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
    said = '';
    try {
      parentPort.postMessage({ output: jq.raw(document, program, ['-c']) ?? '', said });
    } catch (error) {
      const { stderr, message } = error;
      parentPort.postMessage({ failure: 'words', words: stderr ?? message });
    }
  });
}
