'use strict';

// Takes the place of bin/jq-worker.js in an executable.

const { dirname } = require('node:path');

// jq-web loads jq.wasm from its `__dirname` (build.js).
globalThis.moduleDirectory = dirname(Bun.main);

require('./run-jq.js');
