'use strict';

/*
 * Runs jq programs on a worker thread, which petstore terminates after a timeout (src/format/jq-runner.ts).
 *
 * jq-web has side effects that a command must not have: it prints the output of `debug` to the console, sets
 * `process.exitCode`, and exposes `process.argv` and `process.env` to programs. All of these stay in this thread. The
 * sender of a program makes sure that it does not begin with a hyphen, which jq would parse as an option
 * (src/format/jq-program.ts).
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

/**
 * The stack with which jq-web is built has 64 KiB. Printing a document of 40 levels exceeds that, and jq then overwrites
 * its own data: results are wrong. A result of 256 levels, which is the most that jq prints, needs 400 KiB.
 */
const stackBytes = 16 * 2 ** 20;

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const result = await instantiate(...args);
  moveStack(result.instance.exports);
  return result;
};

/** Inserts a larger stack between the stack of jq and its heap, before jq runs. */
function moveStack({ memory, emscripten_stack_get_current: getStack, _emscripten_stack_restore: setStack }) {
  const heapStart = getStack();
  // One variable has the end of the heap, which is still empty.
  const words = new Uint32Array(memory.buffer);
  words[words.indexOf(heapStart)] += stackBytes;
  setStack(heapStart + stackBytes);
}

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
      // V8 limits the stack, too.
      const isStackFull = error instanceof RangeError;
      const message = isStackFull ? 'jq: the program makes values that are nested too deeply' : error.message;
      parentPort.postMessage({ failure: 'jq', message: error.stderr ?? message });
    }
  });
}
