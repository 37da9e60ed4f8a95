#!/usr/bin/env node
'use strict';

// The one question that needs nothing of petstore, and that scripts ask most.
const [, , word, ...others] = process.argv;
if (others.length > 0 || (word !== '--version' && word !== '-V') || !printed()) {
  require('./compile-cache.js').load('main.cjs').main();
}

function printed() {
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    // A full disk or a pipe that does not block: main knows what to do about it.
    return false;
  }
}
