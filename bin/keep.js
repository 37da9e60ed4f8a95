'use strict';

const fs = require('node:fs');
const { join } = require('node:path');

/** Files for one version of Node.js, of some megabyte each at most. */
const mostFiles = 64;

/**
 * Keeps what V8 has made of the scripts, and beside it what is kept of others, in a file that appears whole: a line
 * that says what it holds (keys, bytes of code, how often it was kept), then each code twice. Tells nobody of trouble.
 */
exports.keep = ({ place, name, scripts, others, isOwn, isSafe }) => {
  let whole;
  try {
    const directory = makeDirectory(place, isOwn);
    if (!isSafe(...place) || !hasRoom(directory, name)) return;
    whole = join(directory, `${name}.${process.pid}`);
    const own = scripts.map(({ key, script, times }) => ({
      key,
      code: script.createCachedData(),
      times: times + 1,
    }));
    const sections = [...own, ...others];
    const line = JSON.stringify(sections.map(({ key, code, times }) => [key, code.length, times]));
    const codes = sections.flatMap(({ code }) => [code, code]);
    fs.writeFileSync(whole, Buffer.concat([Buffer.from(`${line}\n`), ...codes]), { mode: 0o600 });
    fs.renameSync(whole, join(directory, name));
  } catch {
    // A start that is slower, as with a home that cannot be written to, or a full disk: the next one tries again.
    removeIfPossible(whole);
  }
};

/** The cache directory, made where it is missing. Throws where it would hang on what is not this user's. */
function makeDirectory([base, ...names], isOwn) {
  let path = base;
  let stats = fs.statSync(base);
  for (const name of names) {
    if (!isOwn(stats)) throw new Error(`${path} is another user's`);
    path = join(path, name);
    stats = statOrMake(path);
  }
  return path;
}

/** Words that are no command's, as the profile in `--profile x`, must not fill the disk. */
function hasRoom(directory, name) {
  const all = fs.readdirSync(directory);
  const version = `${process.version}-${process.arch}-`;
  return all.includes(name) || all.filter((one) => one.startsWith(version)).length < mostFiles;
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
