'use strict';

/*
 * Runs jq programs on a worker thread, which petstore terminates after a timeout (src/format/jq-runner.ts).
 *
 * jq-web has side effects that a command must not have: it prints the output of `debug` to the console, sets
 * `process.exitCode`, and exposes `process.argv` and `process.env` to programs. All of these stay in this thread. The
 * sender of a program makes sure that it does not begin with a hyphen, which jq would parse as an option
 * (src/format/jq-runner.ts).
 */

const { parentPort } = require('node:worker_threads');

// Programs can read the name of the script, which would reveal where petstore is installed.
process.argv[1] = 'jq';

start();

async function start() {
  const jq = await require('jq-web');
  parentPort.on('message', ({ program, document }) => {
    try {
      parentPort.postMessage({ output: jq.raw(document, program, ['-c']) ?? '' });
    } catch (error) {
      // The stacks of V8 and of jq-web are small.
      const isCrash = error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
      const message = isCrash ? 'jq: the program, or a value that it makes, is nested too deeply' : error.message;
      parentPort.postMessage({ message: error.stderr ?? message });
    }
  });
}
