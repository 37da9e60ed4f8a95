import { list, reply, testFaults } from '../support/faults.js';

const words = 'pets list';
const error = (body: string | Uint8Array, ...headers: string[]) => [reply(400, body, ...headers)];

testFaults('what an error says: %s', [
  {
    name: 'a problem of RFC 9457',
    run: list,
    replies: error(
      '{"type":"about:blank","title":"Bad","detail":"the limit is odd","status":400}',
      'content-type: application/problem+json',
    ),
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the limit is odd","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'plain text',
    run: list,
    replies: error('the limit is odd', 'content-type: text/plain'),
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'a web page',
    run: words,
    replies: error('<html>no</html>', 'content-type: text/html'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'a list',
    run: words,
    replies: error('["no"]'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'a list of records',
    run: words,
    replies: error('{"errors":[{"message":"no"}]}'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'a message that is a record',
    run: words,
    replies: error('{"code":"c","message":{"text":"no"},"status":400}'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'a message that is a number',
    run: words,
    replies: error('{"code":"c","message":7}'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'a message that is blank',
    run: words,
    replies: error('{"code":"c","message":" "}'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'an error that is a record',
    run: words,
    replies: error('{"error":{"message":"no"}}'),
    exitCode: 5,
    sent: 1,
    stderr: ['error: the service answered 400'],
  },
  {
    name: 'an error that is text',
    run: list,
    replies: error('{"error":"no"}'),
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"invalid_request","message":"no","status":400,"exitCode":5}}'],
  },
  {
    name: 'a code that is a number',
    run: list,
    replies: error('{"code":1001,"message":"no"}'),
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"invalid_request","message":"no","status":400,"exitCode":5}}'],
  },
  {
    name: 'a code that is a record',
    run: list,
    replies: error('{"code":{},"message":"no"}'),
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"invalid_request","message":"no","status":400,"exitCode":5}}'],
  },
  {
    name: 'nothing',
    run: list,
    replies: error(''),
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'null',
    run: list,
    replies: error('null'),
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'a message of 1 MB',
    run: words,
    replies: error(`{"code":"c","message":"${'x'.repeat(1_000_000)}"}`),
    exitCode: 5,
    sent: 1,
    stderr: [
      'error: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…',
    ],
  },
  {
    name: 'a message that would draw',
    run: words,
    replies: error(
      JSON.stringify({
        code: 'c',
        message: 'a\u001b[2Jb\rc\nd\u202ee\u009bf\u001b]8;;http://x\u0007',
      }),
    ),
    exitCode: 5,
    sent: 1,
    stderr: ['error: a\\u001b[2Jb\\u000dc\\u000ad\\u202ee\\u009bf\\u001b]8;;http://x\\u0007'],
  },
  {
    name: 'a message that would draw, JSON',
    run: list,
    replies: error(
      JSON.stringify({ code: 'c\u001b[0m', message: 'a\u001b[2Jb\rc\nd\u202ee\u009bf' }),
    ),
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"c\\u001b[0m","message":"a\\u001b[2Jb\\rc\\nd\\u202ee\\u009bf","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'a status that is another',
    run: list,
    replies: error('{"code":"c","message":"no","status":404}'),
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"c","message":"no","status":400,"exitCode":5}}'],
  },
  {
    name: 'a body that is cut off',
    run: list,
    replies: ['HTTP/1.1 400 Bad\r\ncontent-length: 99\r\n\r\n{"message":"n'],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'a body of more than 16 MiB',
    run: list,
    replies: [
      (socket) => {
        socket.write('HTTP/1.1 400 Bad\r\ncontent-length: 17825792\r\n\r\n');
        socket.write('x'.repeat(17_825_792));
      },
    ],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'bytes that are no UTF-8',
    run: list,
    replies: error(Buffer.from('{"message":"\xff"}', 'latin1')),
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'the body of a raw request',
    run: 'api /pets',
    replies: error('{"message":"no","extra":1.50}'),
    exitCode: 5,
    sent: 1,
    stdout: ['{', '  "message": "no",', '  "extra": 1.50', '}'],
    stderr: ['error: no'],
  },
]);
