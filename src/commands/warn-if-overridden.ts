import type { AppContext } from '../app/context.js';

/** Warns if the environment selects another profile than `name`, the saved one. */
export function warnIfOverridden({ runtime, terminal }: AppContext, name: string): void {
  const selected = runtime.env.PETSTORE_PROFILE;
  if (!selected || selected === name) return;
  terminal.warn(`PETSTORE_PROFILE still selects profile ${selected}; change or unset it to use ${name}`);
}
