import { add, connectionLost, noAnswer, notHttp, reply, rex, rexListed, testFaults } from '../support/faults.js';

const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const created = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n';
const whole = reply(200, `[${rex}]`);

testFaults('handles %s', [
  { name: 'an HTTP/0.9 body', replies: [`[${rex}]`], ...notHttp },
  { name: 'a greeting of another protocol', replies: ['SSH-2.0-OpenSSH_9.6\r\n'], ...notHttp },
  { name: 'HTTP/1.0', replies: ['HTTP/1.0 200 OK\r\n\r\n[]'], stdout: ['[]'] },
  {
    name: 'a status line without a reason',
    replies: ['HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n[]'],
    stdout: ['[]'],
  },
  {
    name: 'a folded header',
    replies: [`${json}x-a: 1\r\n  2\r\ncontent-length: 2\r\n\r\n[]`],
    ...notHttp,
  },
  {
    name: 'headers of more than 64 KiB after a create',
    run: add,
    replies: [`${created}x: ${'x'.repeat(70_000)}\r\n\r\n[]`],
    ...noAnswer(undefined, 'the connection to 127.0.0.1:PORT failed (UND_ERR_HEADERS_OVERFLOW)'),
  },
  {
    name: 'headers of 60 KiB',
    replies: [`${json}x: ${'x'.repeat(60_000)}\r\ncontent-length: 2\r\n\r\n[]`],
    stdout: ['[]'],
  },
  {
    name: '102 and 103 before the response',
    replies: [`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>; rel="next"\r\n\r\n${whole}`],
    stdout: rexListed,
  },
  {
    name: '103 and then nothing',
    replies: ['HTTP/1.1 103 Early Hints\r\n\r\n'],
    sent: 3,
    ...connectionLost,
  },
  {
    name: 'an unsolicited 100 to a list',
    replies: [`HTTP/1.1 100 Continue\r\n\r\n${whole}`],
    sent: 3,
    ...connectionLost,
  },
  {
    name: 'an unsolicited 101 to a create',
    run: add,
    replies: ['HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'],
    ...noAnswer(),
  },
  {
    name: 'a second response behind the first',
    replies: [`${whole}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]`],
    stdout: rexListed,
  },
  { name: 'garbage behind the response', replies: [`${whole}garbage\r\n\r\n`], stdout: rexListed },
]);
