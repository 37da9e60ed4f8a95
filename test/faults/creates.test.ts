import {
  add,
  addInWords,
  noAnswer,
  outcomeUnknown,
  reply,
  rex,
  rexAdded,
  rexShown,
  testFaults,
} from '../support/faults.js';

testFaults('handles a response to a create: %s', [
  { name: '201', run: add, replies: [reply(201, rex)], stdout: rexShown, stderr: [rexAdded] },
  { name: '200 instead of 201', run: add, replies: [reply(200, rex)], stdout: rexShown, stderr: [rexAdded] },
  {
    name: '201 with a truncated body',
    run: add,
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    ...noAnswer(201),
  },
  {
    name: '201 with more than 16 MiB',
    run: add,
    replies: [
      (socket) => {
        socket.write('HTTP/1.1 201 Created\r\ncontent-length: 17825792\r\n\r\n');
        socket.write('x'.repeat(17_825_792));
      },
    ],
    ...noAnswer(201),
  },
  {
    name: '201 with truncated chunks',
    run: addInWords,
    replies: ['HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"id":'],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; the pet was added, but its id is not known',
      '  hint: petstore pets list --all shows whether it is there; adding it again may add it twice',
    ],
  },
  {
    name: '201 with a truncated body under --profile',
    run: `${addInWords} --profile production`,
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; the pet was added, but its id is not known',
      '  hint: petstore pets list --all --profile production shows whether it is there; adding it again may add it twice',
    ],
  },
  {
    name: '201 with JSON that ends early',
    run: add,
    replies: [reply(201, '{"id":')],
    ...outcomeUnknown('unreadable_answer', 'the answer is not JSON as the interface has it: it ends too early', 201),
  },
  {
    name: '201 without a body',
    run: add,
    replies: [reply(201)],
    ...outcomeUnknown('unreadable_answer', 'the answer is not JSON as the interface has it: it is empty', 201),
  },
  {
    name: '201 with HTML',
    run: add,
    replies: [reply(201, '<html>', 'content-type: text/html')],
    ...outcomeUnknown(
      'unreadable_answer',
      'the answer is not JSON as the interface has it: it is not valid JSON (at offset 0)',
      201,
    ),
  },
  {
    name: '201 with a compressed body',
    run: add,
    replies: [reply(201, 'x', 'content-encoding: br')],
    ...outcomeUnknown('unreadable_answer', 'the answer is compressed, though that was not asked for', 201),
  },
  {
    name: '201 without an id',
    run: add,
    replies: [reply(201, '{"name":"Rex","categoryId":1}')],
    stdout: ['{', '  "name": "Rex",', '  "categoryId": 1', '}'],
    stderr: ['warning: 1 of 1 answered with no valid id', '✓ Added Rex to 127.0.0.1:PORT'],
  },
]);
