import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stubs } from '../unused.config.js';

test.each(stubs)('$package $version has the import that a stub replaces ($id)', (stub) => {
  const folder = join('node_modules', stub.package);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(version).toBe(stub.version);
  const imports = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.c?js$/.test(name))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/require\(["']([^"']+)["']\)/g)])
    .map(([, id = '']) => id);
  expect(imports.some((id) => stub.id.test(id))).toBe(true);
});
