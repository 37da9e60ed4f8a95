const top = 'api auth completion config doctor help orders pets profile quota sandbox serve';
const formats = 'csv json ndjson table tsv yaml';
const profiles = 'production sandbox staging';
const settings = 'accessible color input ledger max-wait output pager profile quiet timeout';
const files = 'data.json|my pets.csv|stock';

/** What each shell offers at the end of a line; names of files with a bar between them. */
export const lines: readonly (readonly [line: string, offered: string])[] = [
  ['petstore ', top],
  ['petstore p', 'pets profile'],
  ['petstore zz', ''],
  ['petstore zz ', ''],
  ['petstore pets ', 'add browse export get import list'],
  ['petstore "pe', 'pets'],
  ['petstore pets zz l', ''],
  ['petstore pets l', 'list'],
  ['petstore -p staging pets l', 'list'],
  ['petstore --profile=staging pets l', 'list'],
  ['petstore pets -o json l', 'list'],
  ['petstore -qo json pets l', 'list'],
  ['petstore --profile pets lis', ''],
  ['petstore --profile pets pets lis', 'list'],
  ['petstore -- pets l', 'list'],
  ['petstore --profile ', profiles],
  ['petstore --profile s', 'sandbox staging'],
  ['petstore pets list -p s', 'sandbox staging'],
  ['petstore --output=js', 'json'],
  ['petstore --output=', formats],
  ['petstore pets list -o ', formats],
  ['petstore pets list --output t', 'table tsv'],
  ['petstore --base-url ', ''],
  ['petstore --base-url=d', ''],
  ['petstore --color a', 'always auto'],
  ['petstore pets list --li', '--limit'],
  ['petstore pets list --json --fi', '--fields'],
  ['petstore --max', '--max-wait'],
  ['petstore pets list -- --li', ''],
  ['petstore pets list --watch --st', '--status'],
  ['petstore pets list --watch 5 --st', '--status'],
  ['petstore pets list --limit ', ''],
  ['petstore pets list --limit d', ''],
  ['petstore pets list --status ', 'available pending sold'],
  ['petstore pets list d', ''],
  ['petstore pets get ', ''],
  ['petstore pets get d', ''],
  ['petstore pets import ', files],
  ['petstore pets import d', 'data.json'],
  ['petstore pets import -- d', 'data.json'],
  ['petstore pets import data.json d', ''],
  ['petstore pets import --format json d', 'data.json'],
  ['petstore pets import --format ', 'csv json ndjson'],
  ['petstore pets import --rejects d', 'data.json'],
  ['petstore pets add --from=d', 'data.json'],
  ['petstore profile use st', 'staging'],
  ['petstore profile use staging ', ''],
  ['petstore config set ', settings],
  ['petstore config set timeout ', ''],
  ['petstore config get max', 'max-wait'],
  ['petstore sandbox plan ', 'business enterprise free pro'],
  ['petstore api -X P', 'PATCH POST PUT'],
  ['petstore api -f ', ''],
  ['petstore api /pets ', ''],
  ['petstore completion ', 'bash fish powershell zsh'],
  ['petstore help ', `${top} environment exit-codes formats`],
  ['petstore help pets i', 'import'],
  ['petstore help pets list ', ''],
  ['petstore help pets list --sta', ''],
];

export function offeredIn(text: string): readonly string[] {
  return text
    .split(text.includes('|') ? '|' : ' ')
    .filter((word) => word !== '')
    .sort();
}

/** Lines that would run `touch x`, were anything in them evaluated. */
export const hostileLines = [
  'petstore pets get $(touch x) ',
  'petstore pets get `touch x` ',
  'petstore pets get $(touch x',
  'petstore pets get "$(touch x)',
  'petstore pets get "$(touch x)" ',
  'petstore pets get "`touch x`" -',
  'petstore pets get <(touch x) ',
  `petstore \${x:=$(touch x)} pets `,
  `petstore \${x:-$(touch x)} `,
  'petstore pets$(touch x) ',
  'petstore "pets$(touch x)" ',
  'petstore a[$(touch x)] ',
  'petstore $((a[$(touch x)])) ',
  'petstore --profile=$(touch x) ',
  'petstore --profile $(touch x) pets ',
  'petstore -p$(touch x) --output=',
  'petstore --$(touch x)',
  'petstore -$(touch x)',
  'petstore --profile=`touch x`',
  'petstore pets import $(touch x)/',
  'petstore pets import `touch x`/d',
  'petstore pets import "$(touch x)/',
  'petstore pets import --rejects=$(touch x)/',
  'petstore pets import $HOME/$(touch x)/',
  "petstore pets import *(e:'touch x':)",
  'petstore pets import ~$(touch x)/',
  "petstore '$(touch x) ",
  'petstore pets list ;touch x;petstore ',
  'petstore \\$(touch x) ',
];

const [quote, name65] = ['\\"', 'n'.repeat(65)];

/** Configuration files, and the profiles that a shell finds in them beside the built-in ones. */
export const configurations: readonly (readonly [about: string, text: string, kept: string])[] = [
  ['none', '{}', ''],
  [
    'on one line',
    '{"profiles":{"mine":{"baseUrl":"http://h/v1"},"o_k-1":{}},"settings":{}}',
    'mine o_k-1',
  ],
  [
    'indented',
    JSON.stringify({ profiles: { mine: { output: 'json' }, m2: {} }, a: [{}] }, null, '\t'),
    'mine m2',
  ],
  ['with odd spaces', '\n{ "profiles"\r\n :\n{ "mine"\n:{ } , "m2" :{}\n}\n}\n\n', 'mine m2'],
  ['with a byte order mark', '\uFEFF{"profiles":{"mine":{}}}', 'mine'],
  [
    'after other things',
    `{"a":{"profiles":{"no":{}}},"b":["profiles",{"no":1}],"profiles":{"mine":{}}}`,
    'mine',
  ],
  ['before other things', '{"profiles":{"mine":{}},"settings":{"no":{}},"n":1}', 'mine'],
  ['with the built-in ones', '{"profiles":{"staging":{},"mine":{}}}', 'mine'],
  [
    'quoted in a value',
    `{"a":"${quote}profiles${quote}:{${quote}no${quote}:{}}","profiles":{"mine":{"x":"\\\\"}}}`,
    'mine',
  ],
  [
    'with braces in values',
    '{"profiles":{"mine":{"a":"}}"},"m2":{"b":"{[","c":[1,{"no":{}}]}}}',
    'mine m2',
  ],
  [
    'that run something',
    '{"profiles":{"$(touch x)":{},"`touch x`":{},";touch x":{},"a b":{},"(touch x)":{},"mine":{}}}',
    'mine',
  ],
  [
    'of bad names',
    `{"profiles":{"-rf":{},"_a":{},"*":{},"":{},"${name65}":{},"é":{},"a.b":{},"a${quote}b":{},"mine":{}}}`,
    'mine',
  ],
  ['that end early', '{"profiles":{"no":{}', ''],
  ['that end in a string', '{"profiles":{"no":{}},"a', ''],
  ['that are a list', '{"profiles":["no","no2"]}', ''],
  ['that are text', '{"profiles":"no","a":"b:c"}', ''],
  ['empty', '', ''],
  ['of no JSON', 'profiles: {no: {}}', ''],
  ['too deep', `{"a":${'['.repeat(2000)}${']'.repeat(2000)},"b":{"profiles":{"no":{}}}}`, ''],
  ['of as many bytes as are read', filled(16_384), 'mine'],
  ['of more bytes', filled(16_385), ''],
  ['too large', `{"profiles":{"no":{}},"a":"${'x'.repeat(70_000)}"}`, ''],
];

/** What is slow to read for a shell that does not take care: each as large as a file that is read, or larger. */
export const slowConfigurations: readonly (readonly [about: string, content: string | Buffer])[] = [
  ['numbers', `{"x":[${'1,'.repeat(8000)}1]}`],
  ['many numbers', `{"x":[${'1,'.repeat(32_000)}1]}`],
  ['brackets', '['.repeat(16_384)],
  ['pairs of brackets', '[]'.repeat(8192)],
  ['profiles of brackets', `{"profiles":{"a":${'['.repeat(16_000)}`],
  ['objects', '{"a":'.repeat(3200)],
  ['backslashes', `"${'\\'.repeat(16_383)}`],
  ['quotes after backslashes', `"${'\\"'.repeat(8191)}`],
  ['quotes', '"'.repeat(16_384)],
  ['letters', 'a'.repeat(16_384)],
  ['letters beyond ASCII', 'é'.repeat(8192)],
  ['spaces', ' '.repeat(16_384)],
  ['profiles', JSON.stringify({ profiles: Object.fromEntries(numbered(5500)) })],
  ['no text', Buffer.alloc(16_384, 0xff)],
  ['no text at all', Buffer.alloc(20_000_000, 0xff)],
];

function filled(bytes: number): string {
  const text = '{"profiles":{"mine":{}},"a":""}';
  return text.replace('""', `"${'é'.repeat(100)}${'x'.repeat(bytes - text.length - 200)}"`);
}

function numbered(count: number): readonly (readonly [string, object])[] {
  return Array.from({ length: count }, (_, index) => [`p${index}`, {}]);
}
