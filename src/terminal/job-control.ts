import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.js';
import type { ProcessHandle } from './signals.js';

/** A full screen, which must not stay on the terminal while the shell uses it. */
export interface SuspendableView {
  /** Restores the terminal before Ctrl-Z (SIGTSTP) stops the process. */
  suspend(): void;
  /** Shows the view again after `fg`. */
  resume(): void;
}

/** The job control of the shell: Ctrl-Z, `fg` and `bg`. */
export interface JobControl {
  /** Suspends and resumes a view until the returned function is called. */
  add(view: SuspendableView): () => void;
  /** Stops a process in the background until `fg`, as the terminal does if a process changes its modes. */
  stopInBackground(): void;
}

/** After this time, a process that nothing has stopped shows its view again. */
const resumeDelayMs = 200;

/** Returns the job control of a process. */
export function openJobControl(host: ProcessHandle, clock: Clock): JobControl {
  const stopInBackground = () => {
    if (!isForeground(host)) host.kill(0, 'SIGTTOU');
    // The process is stopped here until SIGCONT.
  };
  return {
    stopInBackground,
    add: (view) => {
      let isSuspended = false;
      const onContinue = () => {
        if (!isSuspended) return;
        isSuspended = false;
        stopInBackground();
        // Node.js reads the size of the terminal on this event: a process in the background gets no signal for a resize.
        host.emit('SIGWINCH', 'SIGWINCH');
        view.resume();
      };
      const onStop = () => {
        view.suspend();
        isSuspended = true;
        host.off('SIGTSTP', onStop);
        // The whole process group, since the shell waits for all of it: a key in raw mode reached this process only.
        host.kill(0, 'SIGTSTP');
        // The process is stopped here until SIGCONT.
        host.on('SIGTSTP', onStop);
        // The system ignores SIGTSTP if no shell could continue the process, and then sends no SIGCONT.
        void clock.sleep(resumeDelayMs).then(onContinue);
      };
      host.on('SIGTSTP', onStop).on('SIGCONT', onContinue);
      return () => void host.off('SIGTSTP', onStop).off('SIGCONT', onContinue);
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
