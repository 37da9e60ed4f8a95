import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { Language, Parser } from 'web-tree-sitter';
import { createTestCli } from '../../support/test-cli.js';

const require = createRequire(import.meta.url);

// PowerShell itself runs the script only in the workflow ci.yml.
test('the script for PowerShell has no syntax error', async () => {
  await Parser.init();
  const grammar = await Language.load(require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'));
  const parser = new Parser().setLanguage(grammar);
  const hasError = (script: string) => parser.parse(script)?.rootNode.hasError;
  // Unlike PowerShell, the grammar rejects a digit in a flag.
  const script = readFileSync('completions/petstore.ps1', 'utf8').replace('--base64', '--base');
  expect(hasError(script)).toBe(false);
  expect(hasError(script.replace('{', '('))).toBe(true);
});

test.each([
  ['bash', 'petstore.bash'],
  ['zsh', '_petstore'],
  ['fish', 'petstore.fish'],
  ['powershell', 'petstore.ps1'],
])('completion %s prints the script', async (shell, file) => {
  const { stdout } = await createTestCli().run(['completion', shell]);
  expect(stdout).toBe(readFileSync(`completions/${file}`, 'utf8'));
});
