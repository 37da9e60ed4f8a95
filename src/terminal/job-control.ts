import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.js';
import type { ProcessHandle } from './signals.js';

/** Something on the terminal that must not stay there while the shell uses it. */
export interface SuspendableView {
  /** Restores the terminal before Ctrl-Z (SIGTSTP) stops the process. */
  suspend(): void;
  /** Draws the view again. Also called after a stop without `suspend` (SIGSTOP), or without a stop. */
  resume(): void;
}

/** The job control of the shell: Ctrl-Z, `fg` and `bg`. */
export interface JobControl {
  /** Suspends and resumes a view until the returned function is called. */
  add(view: SuspendableView): () => void;
  /** Reads the size of the terminal now: the signal of a resize may arrive later. */
  refreshSize(): void;
  /**
   * Returns false after `bg`, while the terminal belongs to the shell. In the foreground, also refreshes the size of the
   * terminal: a process in the background gets no signal for a resize.
   */
  isForeground(): Promise<boolean>;
  /** Stops a process in the background until `fg`, as the terminal does if a process changes its modes. */
  stopInBackground(): Promise<void>;
  /** Sends the signals of Ctrl-C and Ctrl-Z among typed keys: in raw mode, the terminal sends none. */
  sendSignals(typed: string): void;
}

const jobControls = new WeakMap<ProcessHandle, JobControl>();

/** Returns the job control of a process; always the same one. */
export function openJobControl(host: ProcessHandle, clock: Clock): JobControl {
  const jobControl = jobControls.get(host) ?? createJobControl(host, clock);
  jobControls.set(host, jobControl);
  return jobControl;
}

/** How often a process in the background checks whether it is in the foreground again: `fg` may send no signal. */
const pollMs = 200;

function createJobControl(host: ProcessHandle, clock: Clock): JobControl {
  const views = new Set<SuspendableView>();
  let isResuming = false;
  let isContinued = true;
  // Node.js reads the size of the terminal on this event.
  const refreshSize = () => void host.emit('SIGWINCH', 'SIGWINCH');
  const isForeground = async () => {
    const isFound = await findForeground(host);
    if (isFound) refreshSize();
    return isFound;
  };
  const onStop = () => {
    for (const view of [...views].reverse()) view.suspend();
    host.off('SIGTSTP', onStop);
    // The whole process group, since the shell waits for all of it: a key in raw mode reached this process only.
    host.kill(0, 'SIGTSTP');
    // The process is stopped here until SIGCONT.
    host.on('SIGTSTP', onStop);
    isContinued = false;
    void clock.sleep(pollMs).then(() => {
      // The system ignores SIGTSTP if no shell could continue the process.
      if (!isContinued) host.kill(host.pid, 'SIGCONT');
    });
  };
  const onContinue = async () => {
    isContinued = true;
    if (isResuming) return;
    isResuming = true;
    while (views.size > 0 && !(await isForeground())) await clock.sleep(pollMs);
    isResuming = false;
    for (const view of views) view.resume();
  };
  return {
    add: (view) => {
      if (views.size === 0) host.on('SIGTSTP', onStop).on('SIGCONT', onContinue);
      views.add(view);
      return () => {
        if (views.delete(view) && views.size === 0) host.off('SIGTSTP', onStop).off('SIGCONT', onContinue);
      };
    },
    refreshSize,
    isForeground,
    stopInBackground: async () => {
      if (await isForeground()) return;
      host.kill(0, 'SIGTTOU');
      // The process is stopped here until SIGCONT. Refreshes the size of the terminal.
      await isForeground();
    },
    sendSignals: (typed) => {
      // On Windows, a signal to itself would end the process at once.
      if (typed.includes('\u0003')) host.emit('SIGINT', 'SIGINT');
      else if (typed.includes('\u001a') && host.platform !== 'win32') host.kill(host.pid, 'SIGTSTP');
    },
  };
}

/** Returns whether the process belongs to the foreground process group of its terminal, or has no terminal. */
async function findForeground({ pid, platform }: ProcessHandle): Promise<boolean> {
  if (platform === 'win32') return true;
  const [group, foregroundGroup] = await findProcessGroups(pid, platform);
  return group === undefined || !(Number(foregroundGroup) > 0) || group === foregroundGroup;
}

async function findProcessGroups(pid: number, platform: string): Promise<readonly (string | undefined)[]> {
  try {
    if (platform === 'linux') {
      // The command in parentheses may contain spaces (proc(5)).
      const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return [fields[2], fields[5]];
    }
    const { execFileSync } = await import('node:child_process');
    const args = ['-o', 'pgid=,tpgid=', '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe' }).trim().split(/\s+/);
  } catch {
    return [];
  }
}
