import { add, refusal, reply, rex, rexShown, testFaults } from '../support/faults.js';

const inWords = 'pets add --name Rex --category-id 1';

testFaults('a create that the service did not take: %s', [
  {
    name: '400',
    run: add,
    replies: [refusal(400, 'no')],
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"said","message":"no","status":400,"exitCode":5}}'],
  },
  {
    name: '401',
    run: add,
    replies: [refusal(401, 'who?')],
    exitCode: 3,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"who?","hint":"the key came from PETSTORE_API_KEY; petstore auth login stores another","status":401,"exitCode":3}}',
    ],
  },
  {
    name: '409',
    run: add,
    replies: [refusal(409, 'there is one')],
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"said","message":"there is one","status":409,"exitCode":5}}'],
  },
  {
    name: '422',
    run: inWords,
    replies: [refusal(422, 'no such category')],
    exitCode: 5,
    sent: 1,
    stderr: ['error: no such category'],
  },
  {
    name: '400 whose body is cut off',
    run: add,
    replies: ['HTTP/1.1 400 Bad\r\ncontent-length: 99\r\n\r\n{"code":'],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: '408, which is not sent again all the same',
    run: add,
    replies: [refusal(408, 'too slow'), reply(201, rex)],
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"said","message":"too slow","status":408,"exitCode":5}}'],
  },
  {
    name: '425, which is not sent again all the same',
    run: add,
    replies: [refusal(425, 'too early'), reply(201, rex)],
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"said","message":"too early","status":425,"exitCode":5}}'],
  },
  {
    name: '500',
    run: add,
    replies: [refusal(500, 'oh')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"oh; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":500,"exitCode":9}}',
    ],
  },
  {
    name: '501',
    run: add,
    replies: [refusal(501, 'not made')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"not made; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":501,"exitCode":9}}',
    ],
  },
  {
    name: '502',
    run: inWords,
    replies: [reply(502, '<html>', 'content-type: text/html')],
    exitCode: 9,
    sent: 1,
    stderr: [
      'error: the service answered 502; whether the pet was added is not known',
      '  hint: petstore pets list --all shows whether it is there; adding it again may add it twice',
    ],
  },
  {
    name: '503',
    run: add,
    replies: [refusal(503, 'busy')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"busy; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":503,"exitCode":9}}',
    ],
  },
  {
    name: '503 with a time',
    run: add,
    replies: [refusal(503, 'busy', 'retry-after: 7')],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"busy; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":503,"exitCode":9}}',
    ],
  },
  {
    name: '504',
    run: add,
    replies: [reply(504)],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_504","message":"the service answered 504; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":504,"exitCode":9}}',
    ],
  },
  {
    name: '500 whose body is cut off',
    run: add,
    replies: ['HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\n{'],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"internal_error","message":"the service answered 500; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":500,"exitCode":9}}',
    ],
  },
  {
    name: '429 and then 201',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2'), reply(201, rex)],
    exitCode: 0,
    sent: 2,
    stdout: rexShown,
    stderr: ['waiting 2s for the quota of 127.0.0.1:PORT'],
  },
  {
    name: '429 and then a reset',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2'), (socket) => void socket.resetAndDestroy()],
    exitCode: 9,
    sent: 2,
    stderr: [
      'waiting 2s for the quota of 127.0.0.1:PORT',
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: '429 for ever',
    run: add,
    replies: [refusal(429, 'slow', 'retry-after: 2')],
    exitCode: 6,
    sent: 3,
    stderr: [
      'waiting 2s for the quota of 127.0.0.1:PORT',
      'waiting 2s for the quota of 127.0.0.1:PORT',
      '127.0.0.1:PORT · 0 requests left · resets in 4s',
      '{"error":{"code":"said","message":"slow","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:08.601Z"}}',
    ],
  },
  {
    name: 'a raw request that got 500',
    run: 'api /pets -f name=Rex',
    replies: [refusal(500, 'oh')],
    exitCode: 9,
    sent: 1,
    stdout: ['{', '  "code": "said",', '  "message": "oh",', '  "status": 500', '}'],
    stderr: [
      'error: oh; whether the request was carried out is not known',
      '  hint: ask the service; sending it again may do it twice',
    ],
  },
  {
    name: 'a raw request that got 201 and half a body',
    run: 'api /pets -f name=Rex',
    replies: ['HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":'],
    exitCode: 9,
    sent: 1,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; the request was carried out, but its id is not known',
      '  hint: ask the service; sending it again may do it twice',
    ],
  },
]);
