import {
  add,
  addAsText,
  answered,
  fails,
  noAnswer,
  outcomeUnknown,
  refusal,
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
    ...outcomeUnknown('outcome_unknown', 'the response from 127.0.0.1:PORT is truncated (HTTP 201)', 201),
  },
  {
    name: '201 with a compressed body',
    run: add,
    replies: [reply(201, 'x', 'content-encoding: br')],
    ...outcomeUnknown(
      'outcome_unknown',
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

testFaults('handles a failed create: %s', [
  {
    name: '400',
    run: add,
    replies: [refusal(400, 'no')],
    ...fails(5, 'said', 'no (HTTP 400)', { status: 400 }),
  },
  {
    name: '400 with a truncated body',
    run: add,
    replies: ['HTTP/1.1 400 Bad\r\ncontent-length: 99\r\n\r\n{"code":'],
    ...answered(5, 'invalid_request', 400),
  },
  {
    name: '408, then 201',
    run: add,
    replies: [refusal(408, 'too slow'), reply(201, rex)],
    sent: 2,
    stdout: rexShown,
    stderr: [rexAdded],
  },
  { name: '500', run: add, replies: [refusal(500, 'oh')], ...outcomeUnknown('said', 'oh (HTTP 500)', 500) },
  {
    name: '503 with Retry-After',
    run: add,
    replies: [refusal(503, 'busy', 'retry-after: 7')],
    ...outcomeUnknown('said', 'busy (HTTP 503)', 503),
  },
  {
    name: '500 with a truncated body',
    run: add,
    replies: ['HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\n{'],
    ...outcomeUnknown('internal_error', 'the service failed (HTTP 500)', 500),
  },
  {
    name: '429, then 201',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2'), reply(201, rex)],
    sent: 2,
    stdout: rexShown,
    stderr: ['Waiting 2s for the quota.', rexAdded],
  },
  {
    name: '429 repeatedly',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2')],
    exitCode: 6,
    sent: 3,
    stderr: [
      'Waiting 2s for the quota.',
      'Waiting 2s for the quota.',
      '{"error":{"code":"said","message":"slow (HTTP 429)","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:08.601Z","next":["petstore pets add --name Rex --category-id 1 --json"]}}',
    ],
  },
  {
    name: '201 with a truncated body to a raw request',
    run: 'api /pets -f name=Rex',
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before the response was complete (HTTP 201); the request was processed, but its id is unknown',
      '  hint: check the data of the service before you send the request again',
    ],
  },
]);
