'use strict';

/*
 * Loads the files of dist and saves the code that V8 compiled from them, so that the next start can skip compiling.
 * Node.js has such a cache too (`module.enableCompileCache`), but not before 22.1, and it is slower (docs/performance.md).
 *
 * Cache files
 * - There is one file for each command. A single file for all commands makes `pets list --json` 5 % slower, because V8
 *   then also loads the functions of other commands.
 * - A file holds a line of JSON, `[[key, bytes], ...]`, then the code of each key. All of this is stored twice: V8
 *   crashes on damaged code, so the two copies must match. A checksum is not faster: loading `node:zlib` for `crc32`
 *   makes a command on the sandbox 6 % slower.
 * - A file is replaced by renaming, so readers never see half of it. Failures are ignored: petstore then compiles.
 * - Files of other versions of Node.js are deleted 30 days after they were saved.
 *
 * Safety: anyone who can write a cache file can run code as this user. Therefore the directory and the file must belong
 * to this user and be writable by no other user. A link in their place is not followed.
 */

const fs = require('node:fs');
const { isAbsolute, join, normalize } = require('node:path');
const { Script } = require('node:vm');

const dist = join(__dirname, '../dist');

/** Maximum number of files for one version of Node.js, each of about 1 MB. */
const maxFiles = 64;

const maxAgeMs = 30 * 24 * 60 * 60 * 1000;
/** Saving takes much less time: an older temporary file was left by a process that was killed. */
const maxSavingMs = 60 * 1000;

/** Loads a file of dist and everything it requires, through the cache unless that is off. Returns its exports. */
exports.loadWithCodeCache = (entry) => {
  const location = locateCache(process.env);
  return location ? load(entry, location) : require(join(dist, entry));
};

/** Returns the base directory, which must exist, and the subdirectory names; nothing if the cache is off. */
function locateCache(env) {
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_COMPILE_CACHE) return undefined;
  const [base, ...names] = listPath(env);
  // All other paths are normalized too, which matters if `..` follows a link.
  return base && isAbsolute(base) ? [normalize(base), ...names] : undefined;
}

function listPath({ PETSTORE_CONFIG_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (PETSTORE_CONFIG_DIR) return [PETSTORE_CONFIG_DIR, 'cache'];
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return [XDG_CACHE_HOME, 'petstore'];
  if (process.platform === 'win32') return [LOCALAPPDATA, 'petstore', 'cache'];
  return [HOME, '.cache', 'petstore'];
}

function load(entry, location) {
  const name = nameCacheFile(process.argv.slice(2));
  const cached = readCache(location, name);
  const compiled = new Map();
  const modules = new Map();
  let isComplete = true;

  const loadFile = (file) => {
    const loaded = modules.get(file);
    if (loaded) return loaded.exports;
    const filename = join(dist, file);
    const source = fs.readFileSync(filename, 'utf8');
    const key = keyOf(file, source);
    if (file === entry && !cached.has(key)) cached.clear();
    const cachedData = cached.get(key);
    const script = new Script(wrap(source), { filename, cachedData });
    compiled.set(key, script);
    // Without cached data, `cachedDataRejected` has no meaning, and its value depends on the runtime.
    if (!cachedData || script.cachedDataRejected) isComplete = false;
    const module = { exports: {} };
    modules.set(file, module);
    try {
      script.runInThisContext()(module.exports, requireInDist, module, filename, dist);
    } catch (error) {
      modules.delete(file);
      throw error;
    }
    return module.exports;
  };
  const requireInDist = (id) => (id.startsWith('./') ? loadFile(id.slice(2)) : require(id));
  requireInDist.resolve = require.resolve;

  // V8 has compiled all functions that the command needs only when it ends. A command that failed may have skipped
  // most of them, and its arguments may be an API key typed in the wrong place, which must not become a file name.
  process.on('exit', (exitCode) => {
    if (isComplete || exitCode !== 0) return;
    try {
      saveCache(location, name, cached, compiled);
    } catch {
      // The home directory is read-only or the disk is full, for example. The next start tries again.
    }
  });
  return loadFile(entry);
}

/** Returns a file name made of the first two words, which usually name a command. */
function nameCacheFile(args) {
  // The words to complete may hold a secret that was typed in the wrong place.
  const own = args[0] === '__complete' ? ['complete'] : args;
  const words = own.filter((arg) => /^[a-z]+$/.test(arg)).slice(0, 2);
  return `${process.version}-${process.arch}-${words.join('-')}`;
}

/**
 * Returns a key that is unique to this version of a file, since V8 compares only the lengths of sources. The first line
 * of each file names the build (rolldown.config.ts). The modification time changes if a file is edited by hand, but not
 * between builds: npm sets it to the same date for every package.
 */
function keyOf(file, source) {
  const build = source.slice(0, source.indexOf('\n'));
  return `${build} ${file} ${fs.statSync(join(dist, file)).mtimeMs}`;
}

/** Wraps a CommonJS module as Node.js does. */
function wrap(source) {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}

/** Returns the saved code by key; an empty map if nothing was saved or it is not safe to use. */
function readCache(location, name) {
  try {
    if (!isSafe(location)) return new Map();
    const path = join(...location, name);
    const stats = fs.lstatSync(path);
    if (stats.isFile() && isPrivate(stats)) return parseCache(fs.readFileSync(path));
  } catch {
    // There is no file, it is damaged, or it cannot be read. It is replaced at exit.
  }
  return new Map();
}

function parseCache(bytes) {
  const content = bytes.subarray(0, bytes.length / 2);
  if (!content.equals(bytes.subarray(content.length))) throw new Error('damaged');
  let start = content.indexOf('\n') + 1;
  const entries = JSON.parse(content.toString('latin1', 0, start)).map(([key, length]) => {
    const code = content.subarray(start, start + length);
    start += length;
    return [key, code];
  });
  return new Map(entries);
}

/** Saves the compiled code, and the cached code of files that this run did not load. Throws on any failure. */
function saveCache(location, name, cached, compiled) {
  makeDirectories(location);
  const directory = join(...location);
  if (!isSafe(location)) return;
  deleteOldFiles(directory);
  makeRoom(directory, name);
  const codes = new Map(cached);
  for (const [key, script] of compiled) codes.set(key, script.createCachedData());
  const header = JSON.stringify([...codes].map(([key, code]) => [key, code.length]));
  const content = [Buffer.from(`${header}\n`, 'latin1'), ...codes.values()];
  replaceFile(join(directory, name), Buffer.concat([...content, ...content]));
}

/** Makes the missing directories, but none inside a directory of another user. */
function makeDirectories([base, ...names]) {
  let path = base;
  for (const name of names) {
    if (!isOwn(fs.statSync(path))) throw new Error(`${path} belongs to another user`);
    path = join(path, name);
    makeDirectory(path);
  }
}

/** Makes a directory unless it exists. With `recursive: true`, `mkdirSync` never returns in /proc. */
function makeDirectory(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Deletes files of other versions of Node.js, and temporary files, that are old. */
function deleteOldFiles(directory) {
  for (const file of fs.readdirSync(directory)) {
    const isTemporary = file.slice(file.lastIndexOf('-')).includes('.');
    if (!isTemporary && file.startsWith(`${process.version}-`)) continue;
    const path = join(directory, file);
    const ageMs = Date.now() - fs.lstatSync(path).mtimeMs;
    if (ageMs > (isTemporary ? maxSavingMs : maxAgeMs)) fs.rmSync(path, { force: true });
  }
}

/** Deletes the oldest file if there are too many. Words that name no command, as in `--profile x`, must not fill the disk. */
function makeRoom(directory, name) {
  const files = fs.readdirSync(directory).filter((file) => file.startsWith(`${process.version}-`));
  if (files.includes(name) || files.length < maxFiles) return;
  const byAge = files.map((file) => ({
    path: join(directory, file),
    savedAt: fs.lstatSync(join(directory, file)).mtimeMs,
  }));
  byAge.sort((a, b) => a.savedAt - b.savedAt);
  fs.rmSync(byAge[0].path, { force: true });
}

function replaceFile(path, bytes) {
  const temporary = `${path}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, bytes, { mode: 0o600 });
    moveFile(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Renames a file. Windows does not replace a file that another process has open, but can rename that file, too. */
function moveFile(from, to) {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EBUSY'].includes(error.code)) throw error;
    const old = `${from}.old`;
    fs.renameSync(to, old);
    fs.renameSync(from, to);
    fs.rmSync(old, { force: true });
  }
}

/** Returns whether the cache directory is private and this user owns its parent directory (under sudo, another user may own it). */
function isSafe([base, ...names]) {
  const stats = fs.lstatSync(join(base, ...names));
  return stats.isDirectory() && isPrivate(stats) && isOwn(fs.statSync(base));
}

/** Returns whether this user alone can write to the file or directory. Windows has access control lists instead. */
function isPrivate(stats) {
  return process.getuid === undefined || (isOwn(stats) && (stats.mode & 0o022) === 0);
}

function isOwn({ uid }) {
  return process.getuid === undefined || uid === process.getuid();
}
