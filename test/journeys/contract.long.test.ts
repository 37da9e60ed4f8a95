import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { freePort } from '../support/raw-server.js';

/** Where `npm run bench:load` installs it. */
const prism = join(import.meta.dirname, '../../node_modules/.cache/peers/node_modules/.bin/prism');

test.skipIf(!existsSync(prism))(
  'a report on what Prism makes of openapi.yaml (needs Prism: npm run bench:load)',
  async () => {
    const baseUrl = await startPrism();
    const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: 'pets_0123456789abcdef' };
    const run = await newUser().run(['doctor', '--contract', '--yes', '--write', '--json', '-q'], {
      env,
    });
    const lines = JSON.parse(run.stdout) as { rule: string; section: string; status: string }[];
    const broken = lines.filter(({ status }) => status === 'broken');
    expect(broken.map(({ section, rule }) => `${section} ${rule}`)).toMatchInlineSnapshot(`
      [
        "4.2 create",
        "4.3 missing pet",
        "5 wrong key",
        "7 error bodies",
        "8.2 reset time",
      ]
    `);
    expect(run.exitCode).toBe(1);
  },
);

/** Resolves to the base URL of a mock on a free port, once it answers. */
async function startPrism(): Promise<string> {
  const port = await freePort();
  const args = ['mock', '--port', String(port), '--verboseLevel', 'silent', 'openapi.yaml'];
  const child = execa(prism, args, { reject: false, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const url = `http://127.0.0.1:${port}/pets`;
    const answered = await fetch(url, { headers: { authorization: 'Bearer pets_x' } }).catch(
      () => undefined,
    );
    if (answered) return `http://127.0.0.1:${port}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Prism does not answer');
}
