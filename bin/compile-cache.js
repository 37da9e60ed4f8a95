'use strict';

const { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  require('node:fs');
const Module = require('node:module');
const { basename, dirname, isAbsolute, join } = require('node:path');

/**
 * Keeps what V8 makes of the code, so that the next start need not make it again: by Node.js itself where it can
 * (22.1 and later), else by `keepCode`. In the user's own cache directory, since who writes there runs code here.
 */
exports.enableCompileCache = () => {
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE;
  try {
    const directory = isOff ? undefined : openDirectory(process.env);
    if (directory === undefined) return;
    if (Module.enableCompileCache) Module.enableCompileCache(directory);
    else keepCode(directory);
  } catch {
    // A start that is slower, as with a home that cannot be written to.
  }
};

/** The cache directory, made where it is missing; nothing where it would not be this user's alone. */
function openDirectory({ PETSTORE_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (PETSTORE_CONFIG_DIR) return openBelow(PETSTORE_CONFIG_DIR, 'cache');
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return openBelow(XDG_CACHE_HOME, 'petstore');
  if (process.platform === 'win32') return openBelow(LOCALAPPDATA, 'petstore', 'cache');
  return openBelow(HOME, '.cache', 'petstore');
}

/** Neither `base`, which must be there, nor what lies in it may belong to somebody else, as with sudo. */
function openBelow(base, ...names) {
  if (!base || !isAbsolute(base) || !isOwn(statSync(base))) return undefined;
  let path = base;
  for (const name of names) {
    path = join(path, name);
    if (!isOwn(statOrMake(path))) return undefined;
  }
  const last = lstatSync(path);
  const isPrivate = process.getuid === undefined || (last.mode & 0o022) === 0;
  return last.isDirectory() && isPrivate ? path : undefined;
}

function isOwn(stats) {
  return process.getuid === undefined || stats.uid === process.getuid();
}

function statOrMake(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats) return stats;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another petstore was faster.
    if (error.code !== 'EEXIST') throw error;
  }
  return statSync(path);
}

/** Node.js 20: compiled code of each file of petstore in a file of its own. */
function keepCode(parent) {
  const { Script } = require('node:vm');
  const directory = openBelow(parent, `${process.version}-${process.arch}`);
  if (directory === undefined) return;
  const folder = join(__dirname, '../dist');
  const compile = Module._extensions['.js'];
  const fresh = [];
  Module._extensions['.cjs'] = (module, filename) => {
    const source = dirname(filename) === folder ? readFileSync(filename, 'utf8') : '';
    const name = nameOf(basename(filename), source);
    if (name === undefined) return compile(module, filename);
    const path = join(directory, name);
    const script = new Script(Module.wrap(source), { filename, cachedData: read(path) });
    if (script.cachedDataRejected !== false) fresh.push({ script, path });
    const require = (id) => module.require(id);
    script.runInThisContext()(module.exports, require, module, filename, folder);
  };
  // Only then it is known which functions a command needs.
  process.on('exit', () => fresh.forEach(keep));
}

/** V8 looks at the length of a source alone: a name that holds its digest tells one version from another. */
function nameOf(file, source) {
  const stamp = /^\/\/ ([0-9a-f]{16})\n/.exec(source)?.[1];
  if (stamp) return `${stamp}-${file}`;
  return source && /-[\w-]{8}\.cjs$/.test(file) ? file : undefined;
}

/** V8 crashes on code that is damaged, as after a power cut: it is kept twice, and both must be the same. */
function read(path) {
  try {
    const twice = readFileSync(path);
    const once = twice.subarray(0, twice.length / 2);
    return once.length > 0 && once.equals(twice.subarray(once.length)) ? once : undefined;
  } catch {
    return undefined;
  }
}

function keep({ script, path }) {
  const whole = `${path}.${process.pid}`;
  try {
    const code = script.createCachedData();
    writeFileSync(whole, Buffer.concat([code, code]), { mode: 0o600 });
    renameSync(whole, path);
  } catch {
    // A full disk: the next start tries again.
    rmSync(whole, { force: true });
  }
}
