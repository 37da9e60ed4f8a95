import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { keys, openTerminal } from '../support/terminal.js';

test('doctor --contract asks for confirmation and prints a line for each rule', async () => {
  const { env } = await startServeProcess();
  const terminal = openTerminal(newUser().home, ['doctor', '--contract'], { env, columns: 120 });
  await terminal.see('Send up to ten requests to 127.0.0.1');
  terminal.type(`y${keys.enter}`);
  await terminal.see('Link with rel="next"');
  await terminal.see('requests left');
  expect(await terminal.exitCode).toBe(0);
});

test('declining doctor --contract sends nothing', async () => {
  const served = await startServeProcess();
  const { env } = served;
  const terminal = openTerminal(newUser().home, ['doctor', '--contract', '--write'], { env });
  await terminal.see('The pet cannot be deleted.');
  await terminal.see('and add this pet?');
  terminal.type(`n${keys.enter}`);
  expect(await terminal.exitCode).toBe(130);
  expect((await served.stop()).log).toBe('');
});
