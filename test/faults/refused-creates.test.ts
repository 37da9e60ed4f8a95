import {
  add,
  addInWords,
  answered,
  fails,
  outcomeUnknown,
  refusal,
  reply,
  rex,
  rexShown,
  testFaults,
} from '../support/faults.js';

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
    name: '408, which is not retried',
    run: add,
    replies: [refusal(408, 'too slow'), reply(201, rex)],
    ...fails(5, 'said', 'too slow (HTTP 408)', { status: 408 }),
  },
  { name: '500', run: add, replies: [refusal(500, 'oh')], ...outcomeUnknown('said', 'oh (HTTP 500)', 500) },
  {
    name: '502',
    run: addInWords,
    replies: [reply(502, '<html>', 'content-type: text/html')],
    exitCode: 9,
    stderr: [
      'error: the service failed (HTTP 502); it is unknown whether the pet was added',
      '  hint: run petstore pets list --all to look for the pet before you add it again',
    ],
  },
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
    stderr: ['Waiting 2s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: '429, then a reset',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2'), (socket) => void socket.resetAndDestroy()],
    exitCode: 9,
    sent: 2,
    stderr: [
      'Waiting 2s for the quota of 127.0.0.1:PORT.',
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT closed the connection mid-response; it is unknown whether the pet was added","hint":"run petstore pets list --all to look for the pet before you add it again","exitCode":9}}',
    ],
  },
  {
    name: '429 repeatedly',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2')],
    exitCode: 6,
    sent: 3,
    stderr: [
      'Waiting 2s for the quota of 127.0.0.1:PORT.',
      'Waiting 2s for the quota of 127.0.0.1:PORT.',
      '127.0.0.1:PORT · 0 requests left · resets in 4s',
      '{"error":{"code":"said","message":"slow (HTTP 429)","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:08.601Z"}}',
    ],
  },
  {
    name: '500 to a raw request',
    run: 'api /pets -f name=Rex',
    replies: [refusal(500, 'oh')],
    exitCode: 9,
    stdout: ['{', '  "code": "said",', '  "message": "oh",', '  "status": 500', '}'],
    stderr: [
      'error: oh (HTTP 500); it is unknown whether the request was processed',
      '  hint: check the data of the service before you send the request again',
    ],
  },
  {
    name: '201 with a truncated body to a raw request',
    run: 'api /pets -f name=Rex',
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection mid-response (HTTP 201); the request was processed, but its id is unknown',
      '  hint: check the data of the service before you send the request again',
    ],
  },
]);
