import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { Language, Parser } from 'web-tree-sitter';
import { completionScripts } from '../../src/docgen/completion-scripts.js';

const require = createRequire(import.meta.url);

// PowerShell itself runs the script only in the workflow ci.yml.
test('the script for PowerShell has no syntax error', async () => {
  await Parser.init();
  const grammar = await Language.load(require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'));
  const parser = new Parser().setLanguage(grammar);
  const hasError = (script: string) => parser.parse(script)?.rootNode.hasError;
  // Unlike PowerShell, the grammar rejects a digit in a flag.
  const script = completionScripts.powershell.replace('--base64', '--base');
  expect(hasError(script)).toBe(false);
  expect(hasError(script.replace('{', '('))).toBe(true);
});
