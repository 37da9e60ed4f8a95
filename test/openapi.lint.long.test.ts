import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/petstore.js';
import { installPeer } from './support/programs.js';

/** Neither asks the registry for a newer version nor reports usage. */
const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

test('openapi.yaml has no problems for redocly (recommended-strict)', async (context) => {
  const redocly = await installPeer('redocly', context);
  const args = ['lint', '--extends', 'recommended-strict', '--format', 'json', 'openapi.yaml'];
  const { stdout, exitCode } = await execa(redocly.bin('redocly'), args, { env, reject: false });
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{\n')));
  expect(problems).toEqual([]);
  expect({ exitCode, totals }).toEqual({ exitCode: 0, totals: { errors: 0, warnings: 0, ignored: 0 } });
});

test('openapi.yaml has no problems for spectral (spectral:oas)', async (context) => {
  const spectral = await installPeer('spectral', context);
  const ruleset = join(temporaryDirectory(), 'spectral.json');
  writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
  const args = ['lint', '--ruleset', ruleset, '--fail-severity', 'hint', '--format', 'json', '--quiet', 'openapi.yaml'];
  const { stdout, exitCode } = await execa(spectral.bin('spectral'), args, { reject: false });
  expect(JSON.parse(stdout)).toEqual([]);
  expect(exitCode).toBe(0);
});
