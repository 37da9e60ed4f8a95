/** What a process ends with that a signal ends: 128 and the signal's number (POSIX, kill(1)). */
export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
