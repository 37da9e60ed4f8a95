import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { installPeer } from '../support/peers.js';
import { newUser } from '../support/petstore.js';
import { freePort } from '../support/raw-server.js';

test('doctor --contract reports the rules that Prism breaks', async (context) => {
  const baseUrl = await startPrism((await installPeer('prism', context)).bin('prism'));
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: 'pets_0123456789abcdef' };
  const run = await newUser().run(['doctor', '--contract', '--yes', '--write', '--json', '-q'], {
    env,
  });
  const lines = JSON.parse(run.stdout) as { rule: string; status: string }[];
  const broken = lines.filter(({ status }) => status === 'failed');
  expect(broken.map(({ rule }) => rule)).toMatchInlineSnapshot(`
      [
        "create",
        "get",
        "missing pet",
        "error bodies",
        "invalid API key",
        "reset time",
      ]
    `);
  expect(run.exitCode).toBe(1);
});

/** Starts Prism on a free port and resolves to its base URL once it responds. */
async function startPrism(prism: string): Promise<string> {
  const port = await freePort();
  const args = ['mock', '--port', String(port), '--verboseLevel', 'silent', 'openapi.yaml'];
  const child = execa(prism, args, { reject: false, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const url = `http://127.0.0.1:${port}/pets`;
    const response = await fetch(url, { headers: { authorization: 'Bearer pets_x' } }).catch(() => undefined);
    if (response) return `http://127.0.0.1:${port}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Prism does not respond');
}
