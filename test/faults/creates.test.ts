import { add, addInWords, reply, rex, rexShown, testFaults } from '../support/faults.js';

testFaults('a create that the service took: %s', [
  { name: '201', run: add, replies: [reply(201, rex)], exitCode: 0, sent: 1, stdout: rexShown },
  {
    name: '200 instead of 201',
    run: add,
    replies: [reply(200, rex)],
    exitCode: 0,
    sent: 1,
    stdout: rexShown,
  },
  {
    name: '201 whose body is cut off',
    run: add,
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; the pet was added, but its id is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":201,"exitCode":9}}',
    ],
  },
  {
    name: '201 whose chunks are cut off',
    run: addInWords,
    replies: ['HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"id":'],
    exitCode: 9,
    sent: 1,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; the pet was added, but its id is not known',
      '  hint: petstore pets list --all shows whether it is there; adding it again may add it twice',
    ],
  },
  {
    name: '201 whose body is cut off, by a store that a flag names',
    run: `${addInWords} --profile production`,
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    sent: 1,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; the pet was added, but its id is not known',
      '  hint: petstore pets list --all --profile production shows whether it is there; adding it again may add it twice',
    ],
  },
  {
    name: '201 whose body ends too early',
    run: add,
    replies: [reply(201, '{"id":')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it ends too early; the pet was added, but its id is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":201,"exitCode":9}}',
    ],
  },
  {
    name: '201 without a body',
    run: add,
    replies: [reply(201)],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is empty; the pet was added, but its id is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":201,"exitCode":9}}',
    ],
  },
  {
    name: '201 with a list',
    run: add,
    replies: [reply(201, `[${rex}]`)],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not a record; the pet was added, but its id is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":201,"exitCode":9}}',
    ],
  },
  {
    name: '201 as a web page',
    run: add,
    replies: [reply(201, '<html>', 'content-type: text/html')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not valid JSON (at offset 0); the pet was added, but its id is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":201,"exitCode":9}}',
    ],
  },
  {
    name: '201 that is compressed',
    run: add,
    replies: [reply(201, 'x', 'content-encoding: br')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is compressed, though that was not asked for; the pet was added, but its id is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":201,"exitCode":9}}',
    ],
  },
  {
    name: '201 without an id',
    run: add,
    replies: [reply(201, '{"name":"Rex","categoryId":1}')],
    exitCode: 0,
    sent: 1,
    stdout: ['{', '  "name": "Rex",', '  "categoryId": 1', '}'],
    stderr: ['warning: 1 of 1 answered with no valid id'],
  },
  {
    name: '200 as a web page',
    run: add,
    replies: [reply(200, '<html>', 'content-type: text/html')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not valid JSON (at offset 0); whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":200,"exitCode":9}}',
    ],
  },
  {
    name: '200 that is cut off',
    run: add,
    replies: ['HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":200,"exitCode":9}}',
    ],
  },
  {
    name: '202',
    run: add,
    replies: [reply(202)],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is empty; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":202,"exitCode":9}}',
    ],
  },
]);
