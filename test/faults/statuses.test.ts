import { add, html, list, reply, rex, rexListed, testFaults } from '../support/faults.js';

const _whole = reply(200, `[${rex}]`);

testFaults('an answer by its status: %s', [
  {
    name: '204, list',
    run: list,
    replies: [reply(204)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is empty","hint":"check that the base URL leads to the store, version segment included","status":204,"exitCode":7}}',
    ],
  },
  {
    name: '205, list',
    run: list,
    replies: [reply(205)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is empty","hint":"check that the base URL leads to the store, version segment included","status":205,"exitCode":7}}',
    ],
  },
  {
    name: '200 without a body, list',
    run: list,
    replies: [reply(200)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is empty","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: '200 without a body, get',
    run: 'pets get 1',
    replies: [reply(200)],
    exitCode: 7,
    sent: 1,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      'error: the answer is not JSON as the interface has it: it is empty',
      '  hint: check that the base URL leads to the store, version segment included',
    ],
  },
  {
    name: '204, add',
    run: add,
    replies: [reply(204)],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is empty; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":204,"exitCode":9}}',
    ],
  },
  { name: '204, api', run: 'api /pets/1 -X DELETE', replies: [reply(204)], exitCode: 0, sent: 1 },
  {
    name: '204, orders',
    run: 'orders list --json',
    replies: [reply(204)],
    exitCode: 0,
    sent: 1,
    stdout: ['[]'],
  },
  {
    name: '206, list',
    run: list,
    replies: [reply(206, `[${rex}]`)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is a part, though all was asked for","hint":"check that the base URL leads to the store, version segment included","status":206,"exitCode":7}}',
    ],
  },
  {
    name: '206, add',
    run: add,
    replies: [reply(206, rex)],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is a part, though all was asked for; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":206,"exitCode":9}}',
    ],
  },
  {
    name: '304, list',
    run: list,
    replies: ['HTTP/1.1 304 Not Modified\r\n\r\n'],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"redirected","message":"the service redirects, and petstore follows no redirect with a key","hint":"set the base URL to the address that is meant","status":304,"exitCode":7}}',
    ],
  },
  {
    name: '299 that is a list',
    run: list,
    replies: [reply(299, `[${rex}]`)],
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
  {
    name: 'a captive portal',
    run: list,
    replies: [reply(200, html, 'content-type: text/html')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not valid JSON (at offset 0)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'a captive portal, in words',
    run: 'pets list',
    replies: [reply(200, html, 'content-type: text/html')],
    exitCode: 7,
    sent: 1,
    stderr: [
      'error: the answer is not JSON as the interface has it: it is not valid JSON (at offset 0)',
      '  hint: check that the base URL leads to the store, version segment included',
    ],
  },
]);
