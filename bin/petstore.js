#!/usr/bin/env node
'use strict';

const fs = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '../dist');
const head = '(function (exports, require, module, __filename, __dirname) {';
const tail = '\n})';
/** V8 copies no text that is as long, whenever it makes room; shorter ones fill that room, and it is made twice. */
const uncopied = 128 * 1024;
/** Bytes that say what is kept, at most. */
const longestHead = 4096;
let scratch = Buffer.allocUnsafeSlow(512 * 1024);

// The one question that needs nothing of petstore, and that scripts ask most. All else is in this file too, since Node.js
// takes longer to find another one than to read it.
const [, , word, ...others] = process.argv;
if (others.length > 0 || (word !== '--version' && word !== '-V') || !printed()) {
  load('main.cjs').main();
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
 * too, from 22.1 on; with it a start takes a fifth to a quarter longer than with this one (docs/speed.md).
 */
function load(first) {
  const { NODE_DISABLE_COMPILE_CACHE, NODE_COMPILE_CACHE } = process.env;
  const isOff = NODE_DISABLE_COMPILE_CACHE || NODE_COMPILE_CACHE;
  const place = isOff ? undefined : placeOf(process.env);
  return place && isAbsolute(place[0]) ? loadWith(place, first) : require(join(folder, first));
}

/** A directory that must be there, and those below it that lead to the cache. */
function placeOf({ PETSTORE_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (PETSTORE_CONFIG_DIR) return [PETSTORE_CONFIG_DIR, 'cache'];
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return [XDG_CACHE_HOME, 'petstore'];
  if (process.platform === 'win32') return LOCALAPPDATA && [LOCALAPPDATA, 'petstore', 'cache'];
  return HOME && [HOME, '.cache', 'petstore'];
}

/**
 * Each command has its own functions of the files that it shares with others, and reads no more than those. Its words
 * tell it, and `--profile x` other words than `--profile y`, so that they choose one of few files: two that meet in
 * one have it together.
 */
function nameOf(args) {
  const words = args.filter((arg) => /^[a-z]+$/.test(arg)).slice(0, 2);
  const slot = [...words.join(' ')].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 32, 0);
  return `${process.version}-${process.arch}-${slot}`;
}

function isOwn({ uid }) {
  return process.getuid === undefined || uid === process.getuid();
}

/** Nobody else may write there. */
function isClosed({ mode }) {
  return process.getuid === undefined || (mode & 0o022) === 0;
}

/** Memory for what is read and done with before anything else is: new memory takes longer than reading. */
function scratchOf(length) {
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(length);
  return scratch.subarray(0, length);
}

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

function loadWith(place, first) {
  const name = nameOf(process.argv.slice(2));
  const kept = open(join(...place, name));
  const modules = new Map();
  const scripts = [];
  const load = (file) => {
    const known = modules.get(file);
    if (known) return known.exports;
    const filename = join(folder, file);
    const source = readWrapped(filename);
    const version = file === first ? stampOf(source) : file;
    const section = kept.get(version);
    const script = new Script(source, { filename, cachedData: section && codeOf(section) });
    const isUsed = script.cachedDataRejected === false;
    scripts.push({ version, script, times: isUsed ? section.times : 0 });
    const module = { exports: {} };
    modules.set(file, module);
    script.runInThisContext()(module.exports, requireBeside, module, filename, folder);
    return module.exports;
  };
  const requireBeside = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  requireBeside.resolve = require.resolve;
  // Only then it is known which functions a command needs; its second run finds what the first one left, and needs others.
  process.on('exit', () => {
    if (scripts.some(({ times }) => times < 2)) keep(place, name, scripts, kept);
  });
  return load(first);
}

/** What is kept in a file, section by section; nothing where it is not there, is no file, or may be somebody else's. */
function open(path) {
  const sections = new Map();
  try {
    // A pipe keeps nobody waiting, and a link leads nowhere.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;
    const file = fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const stats = fs.fstatSync(file);
    if (!stats.isFile() || !isOwn(stats) || !isClosed(stats) || stats.nlink > 1) return sections;
    const bytes = scratchOf(longestHead);
    fs.readSync(file, bytes, 0, longestHead, 0);
    const line = bytes.latin1Slice(0, bytes.indexOf('\n') + 1);
    let at = line.length;
    for (const [version, length, times] of JSON.parse(line)) {
      sections.set(version, { file, at, length, times });
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

function keep(place, name, scripts, kept) {
  let whole;
  try {
    const directory = openDirectory(...place);
    if (directory === undefined) return;
    whole = join(directory, `${name}.${process.pid}`);
    const sections = scripts.map(({ version, script, times }) => ({
      version,
      code: script.createCachedData(),
      times: times + 1,
    }));
    // What other commands of these words loaded, unless it is of another version of petstore.
    if (scripts[0].times > 0) {
      for (const [version, section] of kept) {
        if (sections.some((one) => one.version === version)) continue;
        const code = codeOf(section);
        if (code) sections.push({ version, code: Buffer.from(code), times: section.times });
      }
    }
    const line = JSON.stringify(
      sections.map(({ version, code, times }) => [version, code.length, times]),
    );
    const codes = sections.flatMap(({ code }) => [code, code]);
    fs.writeFileSync(whole, Buffer.concat([Buffer.from(`${line}\n`), ...codes]), { mode: 0o600 });
    fs.renameSync(whole, join(directory, name));
  } catch {
    // A start that is slower, as with a home that cannot be written to, or a full disk: the next one tries again.
    removeIfPossible(whole);
  }
}

/** The cache directory, made where it is missing; nothing where it would not be this user's alone, as with sudo. */
function openDirectory(base, ...names) {
  let path = base;
  if (!isOwn(fs.statSync(path))) return undefined;
  for (const name of names) {
    path = join(path, name);
    if (!isOwn(statOrMake(path))) return undefined;
  }
  const last = fs.lstatSync(path);
  return last.isDirectory() && isClosed(last) ? path : undefined;
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

function removeIfPossible(path) {
  try {
    if (path) fs.rmSync(path, { force: true });
  } catch {
    // In a directory that may not be looked into nothing was made.
  }
}
