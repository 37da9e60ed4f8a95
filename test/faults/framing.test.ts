import { connectionLost, fails, notHttp, reply, rex, rexListed, testFaults } from '../support/faults.js';

const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const chunked = `${json}transfer-encoding: chunked\r\n\r\n`;
const truncated = fails(
  8,
  'connection_lost',
  '127.0.0.1:PORT closed the connection before the response was complete (HTTP 200)',
  { hint: 'retry the command', status: 200, next: ['petstore pets list --json'] },
);
const whole = reply(200, `[${rex}]`);

testFaults('handles %s', [
  { name: 'half a status line', replies: ['HTTP/1.1 2'], sent: 3, ...connectionLost },
  { name: 'half of the headers', replies: [`${json}content-le`], sent: 3, ...connectionLost },
  {
    name: 'a content-length beyond the body',
    replies: [`${json}content-length: 99\r\n\r\n[{"id":1`],
    sent: 2,
    ...truncated,
  },
  {
    name: 'truncated chunks',
    replies: [`${chunked}ff\r\n[{"id":1`],
    sent: 2,
    ...truncated,
  },
  {
    name: 'a missing last chunk',
    replies: [`${chunked}2\r\n[]\r\n`, whole],
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'truncated JSON that ends with the connection',
    replies: [`${json}\r\n[${rex},{"id":`],
    sent: 2,
    ...fails(8, 'connection_lost', 'the response from 127.0.0.1:PORT is truncated (HTTP 200)', {
      hint: 'retry the command',
      next: ['petstore pets list --json'],
      status: 200,
    }),
  },
  {
    name: 'JSON that ends early in a complete message',
    replies: [reply(200, `[${rex},{"id":`), whole],
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'complete JSON that ends with the connection',
    replies: [`${json}\r\n[${rex}]`],
    stdout: rexListed,
  },
  {
    name: 'two different content-length headers',
    replies: [`${json}content-length: 2\r\ncontent-length: 3\r\n\r\n[]`],
    ...notHttp,
  },
  {
    name: 'content-length together with chunks',
    replies: [`${json}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`],
    ...notHttp,
  },
  {
    name: 'a chunk beyond its size',
    replies: [`${chunked}1\r\n[]\r\n0\r\n\r\n`],
    sent: 2,
    ...fails(8, 'connection_failed', '127.0.0.1:PORT sent a response that is not valid HTTP (HTTP 200)', {
      hint: 'check the base URL',
      status: 200,
    }),
  },
  {
    name: 'chunks with extensions and a trailer',
    replies: [`${chunked}2;a=b\r\n[]\r\n0\r\nx-sum: 1\r\n\r\n`],
    stdout: ['[]'],
  },
]);
