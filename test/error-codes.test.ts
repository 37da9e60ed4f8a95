import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorCodes } from '../src/error-codes.js';

test('every error code occurs in the source', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('error-codes.ts'),
  );
  const source = files.map((name) => readFileSync(join('src', name), 'utf8')).join('\n');
  // Commander's codes and the reasons of database errors are converted.
  const occurs = (code: string) =>
    [`'${code}'`, ` ${code}:`, `'${code.replace('database_', '')}'`].some((text) => source.includes(text));
  expect(Object.keys(errorCodes).filter((code) => !occurs(code))).toEqual([]);
});
