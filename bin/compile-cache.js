'use strict';

const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  require('node:fs');
const Module = require('node:module');
const { basename, dirname, isAbsolute, join } = require('node:path');

/**
 * Keeps what V8 makes of the code, so that the next start need not make it again: by Node.js itself where it can
 * (22.1 and later), else by `keepCode`. In the user's own cache directory, since who writes there runs code here.
 */
exports.enableCompileCache = () => {
  const directory = cacheDirectory(process.env);
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE;
  try {
    if (isOff || directory === undefined || !isOwn(directory)) return;
    if (Module.enableCompileCache) Module.enableCompileCache(directory);
    else keepCode(join(directory, `${process.version}-${process.arch}`));
  } catch {
    // A start that is slower, as with a home that cannot be written to.
  }
};

function cacheDirectory({ PETSTORE_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (PETSTORE_CONFIG_DIR) return join(PETSTORE_CONFIG_DIR, 'cache');
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'petstore');
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'petstore', 'cache');
  return HOME && isAbsolute(HOME) ? join(HOME, '.cache', 'petstore') : undefined;
}

/** Makes the directory where there is none; false where it belongs to somebody else, as with sudo. */
function isOwn(directory) {
  makeDirectory(directory);
  return process.getuid === undefined || statSync(directory).uid === process.getuid();
}

/** True where it was not there. Not by Node.js's `recursive`, which never returns below `/proc`. */
function makeDirectory(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch ({ code }) {
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT' || dirname(path) === path) throw new Error(code);
    makeDirectory(dirname(path));
    mkdirSync(path, { mode: 0o700 });
    return true;
  }
}

/** Node.js 20: compiled code of each file of petstore in a file of its own; V8 refuses what is not its own. */
function keepCode(directory) {
  const { Script } = require('node:vm');
  const folder = join(__dirname, '../dist');
  const compile = Module._extensions['.js'];
  const fresh = [];
  Module._extensions['.cjs'] = (module, filename) => {
    if (dirname(filename) !== folder) return compile(module, filename);
    const source = readFileSync(filename, 'utf8');
    // V8 looks at the length of the source alone: a name that holds its digest tells one version from another.
    const stamp = /^\/\/ ([0-9a-f]{16})\n/.exec(source)?.[1] ?? '';
    const path = join(directory, `${stamp}${basename(filename)}`);
    const script = new Script(Module.wrap(source), {
      filename,
      cachedData: read(path),
    });
    if (script.cachedDataRejected !== false) fresh.push({ script, path });
    const require = (id) => module.require(id);
    script.runInThisContext()(module.exports, require, module, filename, folder);
  };
  // Only then it is known which functions a command needs.
  process.on('exit', () => {
    if (fresh.length > 0) keep(directory, fresh);
  });
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function keep(directory, fresh) {
  try {
    if (makeDirectory(directory)) removeOthers(directory);
    for (const { script, path } of fresh) {
      const whole = `${path}.${process.pid}`;
      writeFileSync(whole, script.createCachedData(), { mode: 0o600 });
      renameSync(whole, path);
    }
  } catch {
    // The next start tries again.
  }
}

/** What other versions of Node.js left, which nobody may need again. */
function removeOthers(directory) {
  for (const name of readdirSync(dirname(directory))) {
    if (name !== basename(directory)) rmSync(join(dirname(directory), name), { recursive: true });
  }
}
