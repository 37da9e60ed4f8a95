'use strict';

// Takes the place of bin/code-cache.js in an executable, which contains the compiled code of every file.

const { dirname, join } = require('node:path');

// Bun would replace `__dirname` with a directory of the machine that built the executable (build.js).
globalThis.moduleDirectory = join(dirname(Bun.main), 'dist');

// The executable starts with a policy for short commands (build.js). Imports and servers run longer.
setTimeout(() => Bun.unsafe.setJITPolicy(1), 100).unref();

exports.loadWithCodeCache = () => require('../dist/main.cjs');
