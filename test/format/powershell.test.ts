import { expect, test } from 'vitest';
import { formatPowerShellWord } from '../../src/format/powershell.js';

test.each([
  ['pets', 'pets'],
  ['--max-wait', '--max-wait'],
  ['C:/pets.csv', 'C:/pets.csv'],
  ['42', '42'],
  ['007', '"007"'],
  ['1kb', '"1kb"'],
  ['', '""'],
  ['id,name', '"id,name"'],
  ["Ann's", '"Ann\'s"'],
  ['C:\\my pets.csv', '"C:\\my pets.csv"'],
  ['C:\\my pets\\', "'C:\\my pets\\'"],
  ['50 %', "'50 %'"],
  ["Ann's 50 %", "'Ann''s 50 %'"],
  ['‘x’', '"‘x’"'],
  ['‘$x’', "'‘‘$x’’'"],
  ['‚$x‛', "'‚‚$x‛‛'"],
  ['$env:PETSTORE_API_KEY; `a', "'$env:PETSTORE_API_KEY; `a'"],
  ['.[] | select(.id == 42)', '".[] | select(.id == 42)"'],
  ['a\u001b$(b)', '"a$([char]0x1b)`$(b)"'],
  ['“\u{e0041}', '"`“$([char]::ConvertFromUtf32(0xe0041))"'],
])('PowerShell reads %j as one word', (text, word) => {
  expect(formatPowerShellWord(text)).toBe(word);
});
