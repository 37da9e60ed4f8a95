'use strict';

/*
 * Loaded before petstore (`node --require`) to imitate how Windows treats files that another process has open.
 * WINDOWS_FILES holds one fault and how often it occurs, such as `rename:3`.
 */

const fs = require('node:fs');

const [fault, count] = process.env.WINDOWS_FILES.split(':');
let left = Number(count);

function failSometimes(isAffected, original) {
  return (...args) => {
    if (left > 0 && isAffected(...args)) {
      left -= 1;
      // Which of the two depends on the program that has the file open.
      throw Object.assign(new Error('cannot change the file'), { code: left % 2 === 0 ? 'EPERM' : 'EBUSY' });
    }
    return original(...args);
  };
}

if (fault === 'rename') {
  const isTarget = (_from, to) => /quota|\.csv$/.test(to);
  const rename = failSometimes(isTarget, fs.promises.rename);
  fs.renameSync = failSometimes(isTarget, fs.renameSync);
  fs.promises.rename = async (...args) => rename(...args);
}
if (fault === 'delete') {
  // A lock file that another process is deleting can neither be created nor examined.
  fs.openSync = failSometimes((path, flags) => flags === 'wx' && path.endsWith('.lock'), fs.openSync);
  fs.lstatSync = failSometimes((path) => path.endsWith('.lock'), fs.lstatSync);
}
if (fault === 'truncate') {
  // Windows cannot truncate through a handle that was opened to append.
  const isAppending = (file) => {
    const [, flags] = /flags:\t(\d+)/.exec(fs.readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'));
    return (Number.parseInt(flags, 8) & fs.constants.O_APPEND) !== 0;
  };
  fs.ftruncateSync = failSometimes(isAppending, fs.ftruncateSync);
}
