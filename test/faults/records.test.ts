import { list, reply, rex, testFaults } from '../support/faults.js';

const table = 'pets list --no-header';

const noList =
  '{"error":{"code":"unreadable_answer","message":"the answer is not a list of records","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}';

/** A pet whose name would draw on a terminal. */
const drawing = reply(
  200,
  JSON.stringify([{ id: 1, name: 'a\u001b[2Jb\rc\nd\u202ee\u200bf\u009bg\u0000h', categoryId: 1 }]),
);

testFaults('records that are odd: %s', [
  {
    name: 'an id of 64 bits',
    run: list,
    replies: [
      reply(200, '[{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808}]'),
    ],
    exitCode: 0,
    sent: 1,
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
    name: 'an id of 64 bits in the table',
    run: table,
    replies: [
      reply(200, '[{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808}]'),
    ],
    exitCode: 0,
    sent: 1,
    stdout: ['9223372036854775807  Rex  -9223372036854775808  -'],
  },
  {
    name: 'odd ids',
    run: list,
    replies: [
      reply(
        200,
        '[{"id":"12","name":"a","categoryId":1},{"id":1e3,"name":"b","categoryId":1.0},{"id":9223372036854775808,"name":"c","categoryId":1}]',
      ),
    ],
    exitCode: 0,
    sent: 1,
    stdout: [
      '[',
      '  {',
      '    "id": "12",',
      '    "name": "a",',
      '    "categoryId": 1',
      '  },',
      '  {',
      '    "id": 1e3,',
      '    "name": "b",',
      '    "categoryId": 1.0',
      '  },',
      '  {',
      '    "id": 9223372036854775808,',
      '    "name": "c",',
      '    "categoryId": 1',
      '  }',
      ']',
    ],
    stderr: [
      'warning: 3 of 3 answered with no valid id',
      'warning: 1 of 3 answered with no valid categoryId',
    ],
  },
  {
    name: 'odd ids in the table',
    run: table,
    replies: [
      reply(
        200,
        '[{"id":"12","name":"a","categoryId":1},{"id":1e3,"name":"b","categoryId":1.0},{"id":9223372036854775808,"name":"c","categoryId":1}]',
      ),
    ],
    exitCode: 0,
    sent: 1,
    stdout: [
      '12                   a  1    -',
      '1e3                  b  1.0  -',
      '9223372036854775808  c  1    -',
    ],
    stderr: [
      'warning: 3 of 3 answered with no valid id',
      'warning: 1 of 3 answered with no valid categoryId',
    ],
  },
  {
    name: 'a status that nobody knows',
    run: table,
    replies: [reply(200, '[{"id":1,"name":"Rex","categoryId":1,"status":"\\u001b[31mlost"}]')],
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  \\u001b[31mlost'],
  },
  {
    name: 'fields that are missing',
    run: table,
    replies: [reply(200, '[{"id":1},{},{"id":2,"name":null,"categoryId":{"a":1},"status":[]}]')],
    exitCode: 0,
    sent: 1,
    stdout: ['1  -  -        -', '-  -  -        -', '2  -  {"a":1}  []'],
    stderr: [
      'warning: 1 of 3 answered with no valid id',
      'warning: 3 of 3 answered with no valid name',
      'warning: 3 of 3 answered with no valid categoryId',
      'warning: 1 of 3 answered with no valid status',
    ],
  },
  {
    name: 'fields that nobody knows',
    run: list,
    replies: [reply(200, '[{"id":1,"name":"Rex","categoryId":1,"chip":{"n":1.50}}]')],
    exitCode: 0,
    sent: 1,
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
    name: 'more pets than were asked for',
    run: 'pets list --limit 1 --no-header',
    replies: [reply(200, `[${rex},${rex},${rex}]`)],
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: [
      'warning: the service sent 3 pets, though 1 were asked for',
      'there may be more pets: the service sent as many as were asked for, and no next page',
    ],
  },
  {
    name: 'names that would draw',
    run: table,
    replies: [drawing],
    exitCode: 0,
    sent: 1,
    stdout: ['1  a\\u001b[2Jb\\u000dc\\u000ad\\u202ee\\u200bf\\u009bg\\u0000h  1  -'],
  },
  {
    name: 'names that would draw, JSON',
    run: list,
    replies: [drawing],
    exitCode: 0,
    sent: 1,
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
    name: 'null',
    run: list,
    replies: [reply(200, 'null')],
    exitCode: 7,
    sent: 1,
    stderr: [noList],
  },
  {
    name: 'a string',
    run: list,
    replies: [reply(200, '"[]"')],
    exitCode: 7,
    sent: 1,
    stderr: [noList],
  },
  {
    name: 'a list of numbers',
    run: list,
    replies: [reply(200, '[1,2]')],
    exitCode: 7,
    sent: 1,
    stderr: [noList],
  },
  {
    name: 'a list in a record',
    run: list,
    replies: [reply(200, `{"data":[${rex}]}`)],
    exitCode: 7,
    sent: 1,
    stderr: [noList],
  },
  {
    name: 'a list where a record is due',
    run: 'pets get 1 --json',
    replies: [reply(200, `[${rex}]`)],
    exitCode: 7,
    sent: 1,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      '{"error":{"code":"unreadable_answer","message":"the answer is not a record","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'no JSON, api',
    run: 'api /pets',
    replies: [reply(200, '<html>\u001b[2J\n')],
    exitCode: 0,
    sent: 1,
    stdout: ['<html>\u001b[2J'],
  },
]);
