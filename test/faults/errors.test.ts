import { answered, fails, reply, testFaults } from '../support/faults.js';

const words = 'pets list';
const error = (body: string | Uint8Array, ...headers: string[]) => [reply(400, body, ...headers)];

testFaults('reports an error response with %s', [
  {
    name: 'problem details (RFC 9457)',
    replies: error(
      '{"type":"about:blank","title":"Bad","detail":"the limit is odd","status":400}',
      'content-type: application/problem+json',
    ),
    ...fails(5, 'invalid_request', 'the limit is odd (HTTP 400)', { status: 400 }),
  },
  {
    name: 'a message of 1 MB',
    run: words,
    replies: error(`{"code":"c","message":"${'x'.repeat(1_000_000)}"}`),
    exitCode: 5,
    stderr: [`error: ${'x'.repeat(399)}… (HTTP 400)`],
  },
  {
    name: 'control characters in its message, under --json',
    replies: error(JSON.stringify({ code: 'c\u001b[0m', message: 'a\u001b[2Jb\rc\nd\u202ee\u009bf' })),
    exitCode: 5,
    stderr: [
      '{"error":{"code":"c\\u001b[0m","message":"a\\u001b[2Jb\\rc\\nd\\u202ee\\u009bf (HTTP 400)","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'a body of more than 16 MiB',
    replies: [
      (socket) => {
        socket.write('HTTP/1.1 400 Bad\r\ncontent-length: 17825792\r\n\r\n');
        socket.write('x'.repeat(17_825_792));
      },
    ],
    ...answered(5, 'invalid_request', 400),
  },
  {
    name: 'a body that a raw request prints',
    run: 'api /pets',
    replies: error('{"message":"no","extra":1.50}'),
    exitCode: 5,
    stdout: ['{', '  "message": "no",', '  "extra": 1.50', '}'],
    stderr: ['error: no (HTTP 400)'],
  },
]);
