'use strict';

const fs = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '../dist');

/**
 * Loads a file of petstore with all that it requires, and keeps what V8 makes of the code, so that the next start need
 * not make it again: in the user's own cache directory, since who writes there runs code here. Node.js has such a cache
 * too, from 22.1 on; with it a start takes a fifth to a quarter longer than with this one (docs/speed.md).
 */
exports.load = (first) => {
  const path = pathOf(process.argv.slice(2));
  return path === undefined ? require(join(folder, first)) : loadWith(path, first);
};

/** Where the code is kept that such a command needs; nothing where none is to be kept. */
function pathOf(args) {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE) return undefined;
  try {
    const directory = openDirectory(process.env);
    return directory && join(directory, `${process.version}-${process.arch}-${slotOf(args)}`);
  } catch {
    // A start that is slower, as with a home that cannot be written to.
    return undefined;
  }
}

/**
 * Each command has its own functions of the files that it shares with others, and reads no more than those. Its words
 * tell it, and `--profile x` other words than `--profile y`, so that they choose one of few files: two that meet in
 * one have it together.
 */
function slotOf(args) {
  const words = args.filter((arg) => /^[a-z]+$/.test(arg)).slice(0, 2);
  return [...words.join(' ')].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 32, 0);
}

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

let scratch = Buffer.allocUnsafeSlow(512 * 1024);

/** Memory for what is read and done with before anything else is: new memory takes longer than reading. */
function scratchOf(length) {
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(length);
  return scratch.subarray(0, length);
}

const head = '(function (exports, require, module, __filename, __dirname) {';
const tail = '\n})';

/** V8 copies no text that is as long, whenever it makes room; shorter ones fill that room, and it is made twice. */
const uncopied = 128 * 1024;

/** A file of petstore, which is in ASCII, as a function in one piece: V8 would copy what is put together of several. */
function readWrapped(filename) {
  const file = fs.openSync(filename, 'r');
  try {
    const size = head.length + fs.fstatSync(file).size + tail.length;
    const bytes = scratchOf(size > uncopied / 2 ? Math.max(size, uncopied) : size).fill(' ', size);
    bytes.write(head);
    const end = size - tail.length;
    fs.readSync(file, bytes, head.length, end - head.length, null);
    bytes.write(tail, end);
    return bytes.latin1Slice();
  } finally {
    fs.closeSync(file);
  }
}

/** V8 looks at the length of a source alone: the first file says its digest, and the names of the others hold theirs. */
function stampOf(source) {
  return /^[^\n]*\{\/\/ ([0-9a-f]{16})\n/.exec(source)?.[1];
}

function loadWith(path, first) {
  const kept = open(path);
  const modules = new Map();
  const scripts = [];
  const load = (file) => {
    const known = modules.get(file);
    if (known) return known.exports;
    const filename = join(folder, file);
    const source = readWrapped(filename);
    const name = file === first ? stampOf(source) : file;
    const section = kept.get(name);
    const script = new Script(source, { filename, cachedData: section && codeOf(section) });
    const isUsed = script.cachedDataRejected === false;
    scripts.push({ name, script, times: isUsed ? section.times : 0 });
    const module = { exports: {} };
    modules.set(file, module);
    script.runInThisContext()(module.exports, requireBeside, module, filename, folder);
    return module.exports;
  };
  const requireBeside = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  requireBeside.resolve = require.resolve;
  // Only then it is known which functions a command needs; its second run finds what the first one left, and needs others.
  process.on('exit', () => {
    if (scripts.some(({ times }) => times < 2)) keep(path, scripts, kept);
  });
  return load(first);
}

const longestHead = 4096;

/** What is kept in a file, section by section; nothing where it is not there, or is no file. */
function open(path) {
  const sections = new Map();
  try {
    // What is a pipe must not keep anybody waiting.
    const file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    const bytes = scratchOf(longestHead);
    fs.readSync(file, bytes, 0, longestHead, 0);
    const line = bytes.latin1Slice(0, bytes.indexOf('\n') + 1);
    let at = line.length;
    for (const [name, length, times] of JSON.parse(line)) {
      sections.set(name, { file, at, length, times });
      at += 2 * length;
    }
  } catch {
    // All is compiled, and kept anew.
  }
  return sections;
}

/** V8 crashes on code that is damaged, as after a power cut: it is kept twice, and both must be the same. */
function codeOf({ file, at, length }) {
  try {
    const twice = scratchOf(2 * length);
    fs.readSync(file, twice, 0, twice.length, at);
    const code = twice.subarray(0, length);
    return code.equals(twice.subarray(length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function keep(path, scripts, kept) {
  const whole = `${path}.${process.pid}`;
  try {
    const sections = scripts.map(({ name, script, times }) => ({
      name,
      code: script.createCachedData(),
      times: times + 1,
    }));
    // What other commands of these words loaded, unless it is of another version of petstore.
    if (scripts[0].times > 0) {
      for (const [name, section] of kept) {
        if (sections.some((one) => one.name === name)) continue;
        const code = codeOf(section);
        if (code) sections.push({ name, code: Buffer.from(code), times: section.times });
      }
    }
    const line = JSON.stringify(
      sections.map(({ name, code, times }) => [name, code.length, times]),
    );
    const codes = sections.flatMap(({ code }) => [code, code]);
    fs.writeFileSync(whole, Buffer.concat([Buffer.from(`${line}\n`), ...codes]), { mode: 0o600 });
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
