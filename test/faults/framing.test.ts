import {
  add,
  connectionLost,
  fails,
  getWarning,
  noAnswer,
  notHttp,
  reply,
  rex,
  rexListed,
  rexShown,
  testFaults,
} from '../support/faults.js';

const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const chunked = `${json}transfer-encoding: chunked\r\n\r\n`;
const whole = reply(200, `[${rex}]`);

testFaults('handles %s', [
  { name: 'half a status line', replies: ['HTTP/1.1 2'], sent: 3, ...connectionLost },
  { name: 'half a status line after a create', run: add, replies: ['HTTP/1.1 2'], ...noAnswer() },
  { name: 'half of the headers', replies: [`${json}content-le`], sent: 3, ...connectionLost },
  {
    name: 'a content-length beyond the body',
    replies: [`${json}content-length: 99\r\n\r\n[{"id":1`],
    sent: 2,
    ...connectionLost,
  },
  {
    name: 'a content-length beyond the body once',
    replies: [`${json}content-length: 99\r\n\r\n[`, whole],
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'a content-length beyond the body of a raw request',
    run: 'api /pets',
    replies: [`${json}content-length: 99\r\n\r\n[`],
    exitCode: 8,
    sent: 2,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before the response was complete',
      '  hint: retry the command',
    ],
  },
  {
    name: 'truncated chunks',
    replies: [`${chunked}ff\r\n[{"id":1`],
    sent: 2,
    ...connectionLost,
  },
  {
    name: 'truncated chunks once',
    run: 'pets get 1 --json',
    replies: [`${chunked}ff\r\n{"id":1`, reply(200, rex)],
    sent: 2,
    stdout: rexShown,
    stderr: [getWarning],
  },
  {
    name: 'a missing last chunk',
    replies: [`${chunked}2\r\n[]\r\n`],
    sent: 2,
    ...connectionLost,
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
    name: 'truncated JSON that ends with the connection once',
    replies: [`${json}\r\n[${rex},`, whole],
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
    name: 'two equal content-length headers',
    replies: [`${json}content-length: 2\r\ncontent-length: 2\r\n\r\n[]`],
    ...notHttp,
  },
  {
    name: 'a negative content-length',
    replies: [`${json}content-length: -2\r\n\r\n[]`],
    ...notHttp,
  },
  {
    name: 'a content-length without digits',
    replies: [`${json}content-length: two\r\n\r\n[]`],
    ...notHttp,
  },
  {
    name: 'content-length together with chunks',
    replies: [`${json}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`],
    ...notHttp,
  },
  {
    name: 'a chunk without a size',
    replies: [`${chunked}zz\r\n[]\r\n0\r\n\r\n`],
    sent: 2,
    ...notHttp,
  },
  {
    name: 'a negative chunk size',
    replies: [`${chunked}-2\r\n[]\r\n0\r\n\r\n`],
    sent: 2,
    ...notHttp,
  },
  {
    name: 'a chunk size that overflows',
    replies: [`${chunked}fffffffffffffffff\r\n[]\r\n0\r\n\r\n`],
    sent: 2,
    ...notHttp,
  },
  {
    name: 'a chunk beyond its size',
    replies: [`${chunked}1\r\n[]\r\n0\r\n\r\n`],
    sent: 2,
    ...notHttp,
  },
  {
    name: 'chunks with extensions and a trailer',
    replies: [`${chunked}2;a=b\r\n[]\r\n0\r\nx-sum: 1\r\n\r\n`],
    stdout: ['[]'],
  },
]);
