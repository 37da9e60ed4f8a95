import {
  add,
  addAsText,
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
    ...noAnswer(201, '127.0.0.1:PORT sent a response larger than 16 MiB'),
  },
  {
    name: '201 with truncated chunks',
    run: addAsText,
    replies: ['HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"id":'],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before the response was complete (HTTP 201); the pet was added, but its id is unknown',
      '  hint: run petstore pets list --all to look for the pet before you add it again',
    ],
  },
  {
    name: '201 with a truncated body under --profile',
    run: `${addAsText} --profile production`,
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before the response was complete (HTTP 201); the pet was added, but its id is unknown',
      '  hint: run petstore pets list --all --profile production to look for the pet before you add it again',
    ],
  },
  {
    name: '201 with JSON that ends early',
    run: add,
    replies: [reply(201, '{"id":')],
    ...outcomeUnknown(
      'invalid_response',
      'the response from 127.0.0.1:PORT cannot be read as JSON: unexpected end of input (HTTP 201)',
      201,
    ),
  },
  {
    name: '201 without a body',
    run: add,
    replies: [reply(201)],
    ...outcomeUnknown(
      'invalid_response',
      'the response from 127.0.0.1:PORT cannot be read as JSON: empty input (HTTP 201)',
      201,
    ),
  },
  {
    name: '201 with HTML',
    run: add,
    replies: [reply(201, '<html>', 'content-type: text/html')],
    ...outcomeUnknown('invalid_response', 'the response from 127.0.0.1:PORT is a web page, not JSON (HTTP 201)', 201),
  },
  {
    name: '201 with a compressed body',
    run: add,
    replies: [reply(201, 'x', 'content-encoding: br')],
    ...outcomeUnknown(
      'invalid_response',
      'the response from 127.0.0.1:PORT is compressed, which the request did not allow (HTTP 201)',
      201,
    ),
  },
  {
    name: '201 without an id',
    run: add,
    replies: [reply(201, '{"name":"Rex","categoryId":1}')],
    stdout: ['{', '  "name": "Rex",', '  "categoryId": 1', '}'],
    stderr: ['! the response has no valid id in 1 of 1 records', '✓ Added Rex to 127.0.0.1:PORT'],
  },
]);
