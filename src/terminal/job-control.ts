import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.js';
import type { ProcessHandle } from './signals.js';

/** The job control of the shell: Ctrl-Z, `fg` and `bg`. */
export interface JobControl {
  /** Stops the process as Ctrl-Z does. Resolves after `fg`. */
  suspend(): Promise<void>;
  /**
   * Stops a process in the background until `fg`. Otherwise, raw mode would stop it, and later restore the modes of the
   * shell.
   */
  stopInBackground(): void;
}

/** After this time, a process that nothing has stopped continues. */
const continueDelayMs = 200;

/** Returns the job control of a process. */
export function openJobControl(host: ProcessHandle, clock: Clock): JobControl {
  const stopInBackground = () => {
    if (!isForeground(host)) host.kill(0, 'SIGTTOU');
    // The process is stopped here until SIGCONT.
  };
  return {
    stopInBackground,
    suspend: async () => {
      const continued = once(host as NodeJS.Process, 'SIGCONT');
      // The whole process group, since the shell waits for all of it: a key in raw mode reached this process only.
      host.kill(0, 'SIGTSTP');
      // The system ignores SIGTSTP if no shell could continue the process, and then sends no SIGCONT.
      await Promise.race([continued, clock.sleep(continueDelayMs)]);
      stopInBackground();
      // Node.js reads the size of the terminal on this event: a process in the background gets no signal for a resize.
      host.emit('SIGWINCH', 'SIGWINCH');
    },
  };
}

/** Returns whether the process belongs to the foreground process group of its terminal, or has no terminal. */
function isForeground({ pid, platform }: ProcessHandle): boolean {
  if (platform === 'win32') return true;
  const [group, foregroundGroup] = findProcessGroups(pid, platform);
  return group === undefined || !(Number(foregroundGroup) > 0) || group === foregroundGroup;
}

function findProcessGroups(pid: number, platform: string): readonly (string | undefined)[] {
  try {
    if (platform === 'linux') {
      // The command in parentheses may contain spaces (proc(5)).
      const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return [fields[2], fields[5]];
    }
    const args = ['-o', 'pgid=,tpgid=', '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe' }).trim().split(/\s+/);
  } catch {
    return [];
  }
}
