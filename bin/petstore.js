#!/usr/bin/env node
'use strict';

const fs = require('node:fs');
const { isAbsolute, normalize } = require('node:path');
const { Script } = require('node:vm');

const folder = `${__dirname.slice(0, -'bin'.length)}dist`;
/** Not shortened, as `path.join` does, which takes longer than finding a file. */
const join = (...names) => names.join('/');
const head = '(function (exports, require, module, __filename, __dirname) {';
const tail = '\n})';
/** A text of so many characters V8 keeps apart; a shorter one fills the space for what is new, which is then cleared twice. */
const apart = 128 * 1024;
/** The exit code where the line cannot be understood. */
const usageError = 2;
/** Bytes of the line that says what is kept, at most. */
const longestLine = 4096;
let scratch = Buffer.allocUnsafeSlow(512 * 1024);

// The one question that needs nothing of petstore, and that scripts ask most. All else that every start needs is in this
// file too, since Node.js takes longer to find a second one than to read these lines.
const [, , word, ...others] = process.argv;
if (others.length > 0 || (word !== '--version' && word !== '-V') || !printed()) {
  start('main.cjs').main();
}

function printed() {
  try {
    fs.writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    // A full disk or a pipe that does not block: main knows what to do about it.
    return false;
  }
}

/**
 * Loads a file of petstore with all that it requires, and keeps what V8 makes of the code, so that the next start need
 * not make it again: in the user's own cache directory, since who writes there runs code here. Node.js has such a cache
 * too, from 22.1 on, which is slower (docs/speed.md).
 */
function start(first) {
  const { NODE_DISABLE_COMPILE_CACHE, NODE_COMPILE_CACHE } = process.env;
  const isOff = NODE_DISABLE_COMPILE_CACHE || NODE_COMPILE_CACHE;
  const place = isOff ? undefined : placeOf(process.env);
  if (!place || !isAbsolute(place[0])) return require(join(folder, first));
  const [base, ...names] = place;
  // Past a link `..` is where the settings lie, and not where the link leads to.
  return loadKept([base.includes('..') ? normalize(base) : base, ...names], first);
}

/** A directory that must be there, and the names that lead from it to the cache; nothing where no home is named. */
function placeOf({ PETSTORE_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (PETSTORE_CONFIG_DIR) return [PETSTORE_CONFIG_DIR, 'cache'];
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return [XDG_CACHE_HOME, 'petstore'];
  if (process.platform === 'win32') return LOCALAPPDATA && [LOCALAPPDATA, 'petstore', 'cache'];
  return HOME && [HOME, '.cache', 'petstore'];
}

/** One file for the first two words, which mostly name a command: it has the functions that this command needs. */
function nameOf(args) {
  // The words of a line to complete are not petstore's own.
  const own = args[0] === '__complete' ? ['complete'] : args;
  const words = own.filter((arg) => /^[a-z]+$/.test(arg)).slice(0, 2);
  return `${process.version}-${process.arch}-${words.join('-')}`;
}

function isOwn({ uid }) {
  return process.getuid === undefined || uid === process.getuid();
}

/** Nobody else may write there. */
function isClosed({ mode }) {
  return process.getuid === undefined || (mode & 0o022) === 0;
}

/** Whether the directory, or a link in its place, and the one that it hangs on are this user's, as with sudo they are not. */
function isSafe(base, ...names) {
  const last = fs.lstatSync(join(base, ...names));
  return last.isDirectory() && isOwn(last) && isClosed(last) && isOwn(fs.statSync(base));
}

/** Memory for what is read and used up before anything else is read: new memory takes longer than reading. */
function scratchOf(length) {
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(length);
  return scratch.subarray(0, length);
}

/**
 * A file of petstore, which is in ASCII, as a function in one piece: V8 would copy what is put together of several. With
 * it what tells it from others, since V8 compares no more of two sources than their length.
 */
function readWrapped(filename) {
  const file = fs.openSync(filename, 'r');
  try {
    const stats = fs.fstatSync(file);
    const size = head.length + stats.size + tail.length;
    // What is short fills little, and costs more to lengthen.
    const bytes = scratchOf(size > apart / 2 ? Math.max(size, apart) : size).fill(' ', size);
    bytes.write(head);
    const end = size - tail.length;
    fs.readSync(file, bytes, head.length, end - head.length, null);
    bytes.write(tail, end);
    return { source: bytes.latin1Slice(), version: `${stats.size} ${stats.mtimeMs}` };
  } finally {
    fs.closeSync(file);
  }
}

/** The first line of the first file tells one build from another. */
function buildOf(source) {
  const begin = head.length + '// '.length;
  return source.startsWith('// ', head.length) ? source.slice(begin, begin + 16) : undefined;
}

function loadKept(place, first) {
  const name = nameOf(process.argv.slice(2));
  const kept = openKept(place, name);
  const modules = new Map();
  const scripts = [];
  const loadFile = (file) => {
    const known = modules.get(file);
    if (known) return known.exports;
    const filename = join(folder, file);
    const { source, version } = readWrapped(filename);
    const key = `${file === first ? buildOf(source) : file} ${version}`;
    // Its other files are of that build too.
    if (file === first && !kept.has(key)) kept.clear();
    const section = kept.get(key);
    const script = new Script(source, { filename, cachedData: section && codeOf(section) });
    const isUsed = script.cachedDataRejected === false;
    scripts.push({ key, script, times: isUsed ? section.times : 0 });
    const module = { exports: {} };
    modules.set(file, module);
    try {
      script.runInThisContext()(module.exports, requireBeside, module, filename, folder);
    } catch (error) {
      modules.delete(file);
      throw error;
    }
    return module.exports;
  };
  const requireBeside = (id) => (id.startsWith('./') ? loadFile(id.slice(2)) : require(id));
  requireBeside.resolve = require.resolve;
  // Only at the end it is known which functions a command needs; and its second run, which finds what the first one
  // left, needs others.
  process.on('exit', (code) => {
    // Words that are wrong name no command, and may be a key that was typed in the wrong place.
    if (code === usageError || scripts.every(({ times }) => times >= 2)) return;
    const { keep } = require('./keep.js');
    keep({ place, name, scripts, others: othersOf(kept, scripts), isOwn, isSafe });
  });
  return loadFile(first);
}

/** What is kept, section by section, in a file that stays open; nothing where it may be somebody else's. */
function openKept(place, name) {
  const sections = new Map();
  try {
    if (!isSafe(...place)) return sections;
    // A pipe keeps nobody waiting, and a link leads nowhere.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;
    const file = fs.openSync(join(...place, name), O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const stats = fs.fstatSync(file);
    if (!stats.isFile() || !isOwn(stats) || !isClosed(stats)) return sections;
    const bytes = scratchOf(fs.readSync(file, scratch, 0, longestLine, 0));
    const line = bytes.latin1Slice(0, bytes.indexOf('\n') + 1);
    let at = line.length;
    for (const [key, length, times] of JSON.parse(line)) {
      sections.set(key, { file, at, length, times });
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
    if (length < 1 || fs.readSync(file, twice, 0, twice.length, at) < twice.length)
      return undefined;
    const code = twice.subarray(0, length);
    return code.equals(twice.subarray(length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** What is kept of files that only other runs loaded. */
function othersOf(kept, scripts) {
  return [...kept].flatMap(([key, section]) => {
    const code = scripts.some((one) => one.key === key) ? undefined : codeOf(section);
    return code ? [{ key, code: Buffer.from(code), times: section.times }] : [];
  });
}
