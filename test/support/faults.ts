import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type RawServer, startRawServer } from './http-server.js';
import type { Run } from './petstore.js';
import { createFastTestCli, type TestCli } from './test-cli.js';

/** A reply of the service: bytes before it closes the connection, or a function that writes to the socket. */
export type FaultReply = string | Uint8Array | ((socket: Socket, request: string) => void);

/** A command line, the replies to its requests, and everything that it prints. */
export interface Fault {
  readonly name: string;
  /** The arguments of `petstore`; `list` by default. */
  readonly run?: string;
  /** One for each request; the last one repeats. */
  readonly replies: readonly FaultReply[];
  /** 0 by default. */
  readonly exitCode?: number;
  /** Requests that reach the service; 1 by default. */
  readonly sent?: number;
  /** Lines; none by default. */
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

/** Adds a test for each fault, with a clock that does not wait. */
export function testFaults(title: string, faults: readonly Fault[]): void {
  test.each(faults.map((fault) => [fault.name, fault] as const))(title, async (_, fault) => {
    const { wire, run } = await openFaultyService(fault.replies);
    expect({ ...(await run(fault.run ?? list)), sent: wire.requests.length }).toEqual({
      exitCode: fault.exitCode ?? 0,
      stdout: lines(fault.stdout),
      stderr: lines(fault.stderr),
      sent: fault.sent ?? 1,
    });
  });
}

interface ErrorDetails {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAt?: string;
  readonly next?: readonly string[];
}

/** Returns the outcome of a failure under `--json`. */
export function fails(
  exitCode: number,
  code: string,
  message: string,
  { hint, status, retryAt, next }: ErrorDetails = {},
) {
  const error = { code, message, hint, status, exitCode, retryAt, next };
  return { exitCode, stderr: [JSON.stringify({ error })] };
}

/** Returns the outcome of a create under `--json` that may have been carried out. */
export function outcomeUnknown(code: string, message: string, status?: number) {
  const outcome =
    status === 201 ? 'the pet was added, but its id is unknown' : 'it is unknown whether the pet was added';
  return fails(9, code, `${message}; ${outcome}`, { hint: checkPetHint, status, next: [checkPetCommand] });
}

const checkPetCommand = 'petstore pets list --all';
const checkPetHint = 'run petstore pets list --all to look for the pet before you add it again';

/** Returns the outcome of a create without a complete response. */
export function noAnswer(
  status?: number,
  cause = '127.0.0.1:PORT closed the connection before the response was complete',
) {
  return outcomeUnknown('outcome_unknown', status === undefined ? cause : `${cause} (HTTP ${status})`, status);
}

/** Returns the outcome of a list whose 2xx response violates the API spec. */
export function unreadable(reason: string, status = 200) {
  const hint = 'check the base URL, including a version segment such as /v1';
  return fails(7, 'invalid_response', `the response from 127.0.0.1:PORT ${reason} (HTTP ${status})`, { hint, status });
}

/** Returns the outcome of an error response without a message. */
export function answered(exitCode: number, code: string, status: number) {
  const message = status >= 500 ? 'the service failed' : 'the service rejected the request';
  return fails(exitCode, code, `${message} (HTTP ${status})`, { status });
}

/** The failure after a response that is not HTTP. */
export const notHttp = fails(8, 'connection_failed', '127.0.0.1:PORT sent a response that is not valid HTTP', {
  hint: 'check the base URL',
});

/** The failure after a connection that was closed before the response was complete. */
export const connectionLost = fails(
  8,
  'connection_lost',
  '127.0.0.1:PORT closed the connection before the response was complete',
  {
    hint: 'retry the command',
    next: ['petstore pets list --json'],
  },
);

/** The warning that `pets get` is deprecated. */
export const getWarning = '! pets get is deprecated; the service will remove it on 5 December 2030';

/** What a successful `add` prints on stderr. */
export const rexAdded = '✓ Added Rex (id 1) to 127.0.0.1:PORT';

/** Creates a test CLI and a service with these replies. The output shows the port as `PORT`. */
export async function openFaultyService(
  replies: readonly FaultReply[],
  cli: TestCli = createFastTestCli(),
): Promise<{ wire: RawServer; cli: TestCli; run: (words: string) => Promise<Run> }> {
  let count = 0;
  const wire = await startRawServer((socket, request) => {
    const reply = replies[Math.min(count, replies.length - 1)] as FaultReply;
    count += 1;
    if (typeof reply === 'function') reply(socket, request);
    else socket.end(reply);
  });
  return { wire, cli, run: (words) => runAgainst(wire.origin, words, cli) };
}

/** Runs one command line against an origin, with an API key. */
export async function runAgainst(origin: string, words: string, cli: TestCli): Promise<Run> {
  const env = { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_key_0123456789' };
  const { stdout, stderr, exitCode } = await cli.run(words.split(' '), { env });
  const { port } = new URL(origin);
  // Every hint names the base URL, which one test of the profiles checks.
  const plain = (text: string) =>
    text.replaceAll(`:${port}`, ':PORT').replaceAll(/ --base-url https?:\/\/127\.0\.0\.1:PORT\/v1/g, '');
  return { stdout: plain(stdout), stderr: plain(stderr), exitCode };
}

/** Returns a complete response with its length. */
export function reply(status: number, body: string | Uint8Array = '', ...headers: string[]): Buffer {
  const bytes = Buffer.from(body as string);
  const head = [`HTTP/1.1 ${status} So`, ...headers, `content-length: ${bytes.length}`, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}

/** Returns an error response as the API spec describes it. */
export function refusal(status: number, message: string, ...headers: string[]): Buffer {
  return reply(status, JSON.stringify({ code: 'said', message, status }), ...headers);
}

/** Joins lines, each of which ends with a newline. */
export function lines(given: readonly string[] = []): string {
  return given.map((line) => `${line}\n`).join('');
}

/** Rex in the table without a header. */
export const rexRow = ['1  Rex  1  sold'];

/** A pet as the service writes it. */
export const rex = '{"id":1,"name":"Rex","categoryId":1,"status":"sold"}';
/** A command that sends one list request. */
export const list = 'pets list --json';
/** A command that sends one create. */
export const addAsText = 'pets add --name Rex --category-id 1';
/** The same command with its result as JSON. */
export const add = `${addAsText} --json`;

/** The page of a captive portal. */
export const html = '<html><body>Sign in to the hotel</body></html>';

/** The output of `pets list --json` for Rex alone. */
export const rexListed: readonly string[] = [
  '[',
  '  {',
  '    "id": 1,',
  '    "name": "Rex",',
  '    "categoryId": 1,',
  '    "status": "sold"',
  '  }',
  ']',
];

/** The output of `--json` for Rex as one record. */
export const rexShown: readonly string[] = [
  '{',
  '  "id": 1,',
  '  "name": "Rex",',
  '  "categoryId": 1,',
  '  "status": "sold"',
  '}',
];
