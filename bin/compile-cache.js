'use strict';

const fs = require('node:fs');
const Module = require('node:module');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

/**
 * Keeps what V8 makes of the code, so that the next start need not make it again: in the user's own cache directory,
 * since who writes there runs code here. Node.js has such a cache too, from 22.1 on; with it a start takes a sixth to
 * a quarter longer than with this one (docs/speed.md).
 */
exports.enableCompileCache = () => {
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE;
  try {
    const directory = isOff ? undefined : openDirectory(process.env);
    if (directory !== undefined) keepCode(directory);
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
  if (!base || !isAbsolute(base) || !isOwn(fs.statSync(base))) return undefined;
  let path = base;
  for (const name of names) {
    path = join(path, name);
    if (!isOwn(statOrMake(path))) return undefined;
  }
  const last = fs.lstatSync(path);
  const isPrivate = process.getuid === undefined || (last.mode & 0o022) === 0;
  return last.isDirectory() && isPrivate ? path : undefined;
}

function isOwn(stats) {
  return process.getuid === undefined || stats.uid === process.getuid();
}

function statOrMake(path) {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats) return stats;
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another petstore was faster.
    if (error.code !== 'EEXIST') throw error;
  }
  return fs.statSync(path);
}

/** Compiled code of each file of petstore in a file of its own, in a folder for this version of Node.js. */
function keepCode(parent) {
  const directory = openBelow(parent, `${process.version}-${process.arch}`);
  if (directory === undefined) return;
  const folder = join(__dirname, '../dist');
  const compile = Module._extensions['.js'];
  const loaded = [];
  Module._extensions['.cjs'] = (module, filename) => {
    const source = dirname(filename) === folder ? readWrapped(filename) : '';
    const name = nameOf(basename(filename), source);
    if (name === undefined) return compile(module, filename);
    const path = join(directory, name);
    const script = new Script(source, { filename, cachedData: read(path) });
    loaded.push({ script, name, path, isFresh: script.cachedDataRejected !== false });
    const require = (id) => module.require(id);
    require.resolve = (id, options) => Module._resolveFilename(id, module, false, options);
    script.runInThisContext()(module.exports, require, module, filename, folder);
  };
  // Only then it is known which functions a command needs.
  process.on('exit', () => {
    const seen = isSeen(directory, loaded);
    for (const one of loaded) if (one.isFresh || !seen) keep(one);
  });
}

/**
 * Whether such a command has run before, and twice, since the second run finds what the first one left: each needs
 * other functions of the files it shares, and what is kept has those of all that have run. One command is told from
 * another by the files it loads.
 */
function isSeen(directory, loaded) {
  if (loaded.length === 0) return true;
  const mark = join(directory, `${loaded[0].name}.${loaded.length}.${loaded.at(-1).name}`);
  try {
    const stats = fs.statSync(mark, { throwIfNoEntry: false });
    // What is no file may keep whoever writes to it waiting.
    if (stats && (!stats.isFile() || stats.size >= 2)) return true;
    fs.appendFileSync(mark, '.', { mode: 0o600 });
    return false;
  } catch {
    // What cannot be marked would be kept anew each time.
    return true;
  }
}

const head = '(function (exports, require, module, __filename, __dirname) {';
const tail = '\n})';

/** A file of petstore, which is in ASCII, as a function in one piece: V8 would copy what is put together of several. */
function readWrapped(filename) {
  const file = fs.openSync(filename, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(head.length + fs.fstatSync(file).size + tail.length);
    bytes.write(head);
    const end = bytes.length - tail.length;
    fs.readSync(file, bytes, head.length, end - head.length, null);
    bytes.write(tail, end);
    return bytes.latin1Slice();
  } finally {
    fs.closeSync(file);
  }
}

/** V8 looks at the length of a source alone: a name that holds its digest tells one version from another. */
function nameOf(file, source) {
  const stamp = /^[^\n]*\{\/\/ ([0-9a-f]{16})\n/.exec(source)?.[1];
  if (stamp) return `${stamp}-${file}`;
  return source && /-[\w-]{8}\.cjs$/.test(file) ? file : undefined;
}

/** V8 crashes on code that is damaged, as after a power cut: it is kept twice, and both must be the same. */
function read(path) {
  try {
    const twice = fs.readFileSync(path);
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
    fs.writeFileSync(whole, Buffer.concat([code, code]), { mode: 0o600 });
    fs.renameSync(whole, path);
  } catch {
    // A full disk: the next start tries again.
    removeIfPossible(whole);
  }
}

function removeIfPossible(path) {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // In a directory that may not be looked into nothing was made.
  }
}
