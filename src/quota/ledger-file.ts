import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

/**
 * The last line of a file that was written whole, nothing where there is no file; throws what Node.js does. Whoever reads
 * it needs no lock: what another process is just adding has no end yet, or is not there.
 */
export function readLine(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // A pipe would never end.
  if (!stats.isFile()) throw new Error(`${path} is no file`);
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n');
  const whole = end < 0 ? text : text.slice(0, end).trimEnd();
  return whole.slice(whole.lastIndexOf('\n') + 1);
}

/**
 * Makes a line the last one, for who holds the lock of the file; throws what Node.js does. It is added to those before it,
 * since to rename another file over this one takes half as long as all else that is done with it; once they are many,
 * another file with this line alone takes its place.
 */
export function writeLine(path: string, line: string, pid: number): void {
  if (append(path, line)) return;
  const temporary = `${path}.${pid}.tmp`;
  try {
    writeNew(temporary, `${line}\n`);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** In bytes: some forty lines. */
const longest = 16_384;
const mode = 0o600;

/** False where the file is too long, or not as this module makes it; on Windows, whose files have no such mode, always. */
function append(path: string, line: string): boolean {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
    try {
      const stats = fstatSync(file);
      if (stats.size > longest || (stats.mode & 0o777) !== mode) return false;
      // It begins a line whatever a process that was killed has left before it.
      const bytes = Buffer.from(`\n${line}\n`);
      return writeSync(file, bytes) === bytes.length;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** A file of that name is of a process that was killed, and had this one's id. */
function writeNew(path: string, text: string): void {
  const options = { mode, flag: 'wx' } as const;
  try {
    writeFileSync(path, text, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, text, options);
  }
}
