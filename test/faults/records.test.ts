import { reply, rex, rexRow, testFaults } from '../support/faults.js';

const table = 'pets list --no-header';

const noList =
  '{"error":{"code":"invalid_response","message":"the response from 127.0.0.1:PORT is not a JSON array of objects (HTTP 200)","hint":"check the base URL, including a version segment such as /v1","status":200,"exitCode":7}}';

/** A pet whose name would draw on a terminal. */
const drawing = reply(
  200,
  JSON.stringify([{ id: 1, name: 'a\u001b[2Jb\rc\nd\u202ee\u200bf\u009bg\u0000h', categoryId: 1 }]),
);

testFaults('prints or rejects %s', [
  {
    name: 'a 64-bit id',
    replies: [reply(200, '[{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808}]')],
    stdout: [
      '[',
      '  {',
      '    "id": 9223372036854775807,',
      '    "name": "Rex",',
      '    "categoryId": -9223372036854775808',
      '  }',
      ']',
    ],
  },
  {
    name: 'invalid ids in the table',
    run: table,
    replies: [
      reply(
        200,
        '[{"id":"12","name":"a","categoryId":1},{"id":1e3,"name":"b","categoryId":1.0},{"id":9223372036854775808,"name":"c","categoryId":1}]',
      ),
    ],
    stdout: ['12                   a  1    -', '1e3                  b  1.0  -', '9223372036854775808  c  1    -'],
    stderr: [
      '! the response has no valid id in 3 of 3 records',
      '! the response has no valid categoryId in 1 of 3 records',
    ],
  },
  {
    name: 'an unknown status',
    run: table,
    replies: [reply(200, '[{"id":1,"name":"Rex","categoryId":1,"status":"\\u001b[31mlost"}]')],
    stdout: ['1  Rex  1  \\u001b[31mlost'],
  },
  {
    name: 'missing fields',
    run: table,
    replies: [reply(200, '[{"id":1},{},{"id":2,"name":null,"categoryId":{"a":1},"status":[]}]')],
    stdout: ['1  -  -        -', '-  -  -        -', '2  -  {"a":1}  []'],
    stderr: [
      '! the response has no valid id in 1 of 3 records',
      '! the response has no valid name in 3 of 3 records',
      '! the response has no valid categoryId in 3 of 3 records',
      '! the response has no valid status in 1 of 3 records',
    ],
  },
  {
    name: 'unknown fields',
    replies: [reply(200, '[{"id":1,"name":"Rex","categoryId":1,"chip":{"n":1.50}}]')],
    stdout: [
      '[',
      '  {',
      '    "id": 1,',
      '    "name": "Rex",',
      '    "categoryId": 1,',
      '    "chip": {',
      '      "n": 1.50',
      '    }',
      '  }',
      ']',
    ],
  },
  {
    name: 'more pets than requested',
    run: 'pets list --limit 1 --no-header',
    replies: [reply(200, `[${rex},${rex},${rex}]`)],
    stdout: rexRow,
    stderr: ['Showing the first pet. Use --all to list every pet.'],
  },
  {
    name: 'control characters in a name under --json',
    replies: [drawing],
    stdout: [
      '[',
      '  {',
      '    "id": 1,',
      '    "name": "a\\u001b[2Jb\\rc\\nd\\u202ee\\u200bf\\u009bg\\u0000h",',
      '    "categoryId": 1',
      '  }',
      ']',
    ],
  },
  {
    name: 'a list in a record',
    replies: [reply(200, `{"data":[${rex}]}`)],
    exitCode: 7,
    stderr: [noList],
  },
  {
    name: 'HTML for a raw request',
    run: 'api /pets',
    replies: [reply(200, '<html>\u001b[2J\n')],
    stdout: ['<html>\u001b[2J'],
  },
]);
