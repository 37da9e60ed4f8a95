import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Run } from './petstore.js';
import { openWire, type Wire } from './wire.js';
import { quickWorld, type TestWorld } from './world.js';

/** What the service does about a request: these bytes and then an end, or whatever it likes. */
export type Reply = string | Uint8Array | ((socket: Socket, request: string) => void);

/** A command line, what the service does about its requests, and all that is to be seen of it. */
export interface Fault {
  readonly name: string;
  /** The words after `petstore`. */
  readonly run: string;
  /** One for each request, the last one again and again. */
  readonly replies: readonly Reply[];
  readonly exitCode: number;
  /** Requests that reach the service. */
  readonly sent: number;
  /** Lines; nothing where it is left out. */
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

/** A test for each: its command line runs against the service, with waits that take no time. */
export function testFaults(sentence: string, faults: readonly Fault[]): void {
  test.each(faults.map((fault) => [fault.name, fault] as const))(sentence, async (_, fault) => {
    const { wire, run } = await face(fault.replies);
    expect({ ...(await run(fault.run)), sent: wire.requests.length }).toEqual({
      exitCode: fault.exitCode,
      stdout: lines(fault.stdout),
      stderr: lines(fault.stderr),
      sent: fault.sent,
    });
  });
}

/** A user and a service that replies so; the port stands as `PORT` in what is printed. */
export async function face(
  replies: readonly Reply[],
  world: TestWorld = quickWorld(),
): Promise<{ wire: Wire; world: TestWorld; run: (words: string) => Promise<Run> }> {
  let count = 0;
  const wire = await openWire((socket, request) => {
    const reply = replies[Math.min(count, replies.length - 1)] as Reply;
    count += 1;
    if (typeof reply === 'function') reply(socket, request);
    else socket.end(reply);
  });
  return { wire, world, run: (words) => runAgainst(wire.origin, words, world) };
}

/** Runs one command line against an origin, with a key. */
export async function runAgainst(origin: string, words: string, world: TestWorld): Promise<Run> {
  const env = { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_key_0123456789' };
  const { stdout, stderr, exitCode } = await world.run(words.split(' '), { env });
  const { port } = new URL(origin);
  const plain = (text: string) => text.replaceAll(`:${port}`, ':PORT');
  return { stdout: plain(stdout), stderr: plain(stderr), exitCode };
}

/** A whole answer, with its length. */
export function reply(
  status: number,
  body: string | Uint8Array = '',
  ...headers: string[]
): Buffer {
  const bytes = Buffer.from(body as string);
  const head = [`HTTP/1.1 ${status} So`, ...headers, `content-length: ${bytes.length}`, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}

/** An error as the interface has it. */
export function refusal(status: number, message: string, ...headers: string[]): Buffer {
  return reply(status, JSON.stringify({ code: 'said', message, status }), ...headers);
}

export function lines(given: readonly string[] = []): string {
  return given.map((line) => `${line}\n`).join('');
}

export const rex = '{"id":1,"name":"Rex","categoryId":1,"status":"sold"}';
export const list = 'pets list --json';
export const addInWords = 'pets add --name Rex --category-id 1';
export const add = `${addInWords} --json`;

/** What a hotel's network answers with. */
export const html = '<html><body>Sign in to the hotel</body></html>';

/** What `pets list --json` prints of Rex alone. */
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

/** What `--json` prints of Rex as one record. */
export const rexShown: readonly string[] = [
  '{',
  '  "id": 1,',
  '  "name": "Rex",',
  '  "categoryId": 1,',
  '  "status": "sold"',
  '}',
];
