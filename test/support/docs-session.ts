import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import headless from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { startServer } from '../../src/server/start-server.js';
import { exampleHosts, key } from './certificates.js';
import { openProxy } from './proxy.js';
import { keys, openShell } from './terminal.js';

/** Runs the commands of a page from top to bottom, as its reader does. */
export interface DocsSession {
  /** Runs commands in one shell on a terminal. Returns what each of them prints. */
  run(commands: readonly string[]): Promise<readonly string[]>;
  /** Runs one command, and presses Ctrl-C as soon as it waits for the quota. Returns what it prints, after `^C`. */
  interruptWait(commands: readonly string[]): Promise<string>;
}

const columns = 80;

/** The home directory in the docs. */
const shownHome = '/home/you';

/** The port of `petstore serve` in the docs; the session uses any free one. */
const shownPort = '4010';

/**
 * Opens a session for one test: a sandbox with the sample pets, a service at https://staging.example.com/v1 that the
 * profile `staging` is logged in to (only at its first use if this is the first run), and some files. `petstore serve`
 * runs in the background until the test ends.
 */
export async function openDocsSession({ isFirstRun }: { readonly isFirstRun: boolean }): Promise<DocsSession> {
  const staging = await openStaging();
  const home = mkdtempSync(join(tmpdir(), 'p-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  const files = { ...exampleFiles, 'key.txt': `${staging.apiKey}\n`, 'ca.pem': exampleHosts };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(cwd, name), text, { mode: name === 'key.txt' ? 0o600 : 0o644 });
  }
  const env = { HTTPS_PROXY: `http://${staging.proxy}`, NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') };
  let port = shownPort;
  const runShell = (commands: readonly string[]) => {
    const script = commands.map((command) => `mark\n${command.replaceAll(shownPort, port)}`).join('\n');
    return openShell(home, `${markFunction}\n${script}\nmark`, { columns, cwd, env });
  };
  const serve = async (command: string) => {
    const terminal = runShell([`${command} --port 0`]);
    await terminal.see(/http:\/\/127\.0\.0\.1:\d+/);
    [port = shownPort] = /(?<=http:\/\/127\.0\.0\.1:)\d+/.exec(terminal.output()) ?? [];
    // The log line of a request shows that everything before it is printed.
    await fetch(`http://127.0.0.1:${port}/healthz`);
    await terminal.see('/healthz 200');
    // Readers copy the API key that the first start prints.
    const [newKey] = /pets_\w{40,}/.exec(terminal.output()) ?? [];
    if (newKey) writeFileSync(join(cwd, 'key.txt'), `${newKey}\n`);
    const printed = (await readScreen(terminal.output())).replace(/^.*\/healthz 200.*$/m, '');
    onTestFinished(async () => {
      terminal.type(keys.interrupt);
      await terminal.exitCode;
    });
    return [printed.replace(`${marker}\n`, '')];
  };
  const runCommands = async (commands: readonly string[]) => {
    const [first = ''] = commands;
    const outputs = isServer(first) ? await serve(first) : await runToEnd(runShell(commands));
    return outputs.map((text) => replaceHome(text.replaceAll(port, shownPort), home).trimEnd());
  };
  const interruptWait = async (commands: readonly string[]) => {
    // The shell has to survive the Ctrl-C, to print the last marker.
    const terminal = runShell(['trap : INT', ...commands]);
    await terminal.see(/Waiting [0-9]/);
    terminal.type(keys.interrupt);
    return `^C\n${(await runToEnd(terminal)).join('').trim()}`;
  };
  let isLoggedIn = false;
  const logIn = async () => {
    isLoggedIn = true;
    await runCommands([
      'petstore auth login -p staging --base-url https://staging.example.com/v1 --with-key < key.txt',
      'petstore config unset profile',
    ]);
  };
  // The first use of the sandbox prints an introduction. It names a profile with an API key.
  if (!isFirstRun) {
    await logIn();
    await runCommands(['petstore sandbox status']);
  }
  const run = async (commands: readonly string[]) => {
    if (!isLoggedIn && commands.some((command) => command.includes('staging'))) await logIn();
    return runCommands(commands);
  };
  return { run, interruptWait };
}

/** Keeps the cells of a table aligned. */
function replaceHome(text: string, home: string): string {
  const padding = ' '.repeat(Math.max(0, home.length - shownHome.length));
  return text
    .split(home)
    .map((part, index) => (index === 0 ? part : `${shownHome}${part.replace(/^\S*(?= {2})/, `$&${padding}`)}`))
    .join('');
}

const exampleFiles = {
  'rex.json': '{"name":"Rex","categoryId":1}\n',
  'pets.csv': 'name,categoryId,status\nRex,1,available\nTom,2,pending\nLuna,4,\n',
  'mixed.csv': 'name,categoryId,status\nKiwi,1,available\n,2,pending\nPepper,birds,sold\n',
};

function isServer(command: string): boolean {
  return /^petstore serve\b(?! keys\b)/.test(command);
}

const marker = '@@@';

/** Prints the marker and keeps the exit code of the command before it. */
const markFunction = `mark() { code=$?; printf '%s\\n' '${marker}'; return $code; }`;

async function runToEnd({ output, exitCode }: ReturnType<typeof openShell>): Promise<readonly string[]> {
  await exitCode;
  const [, ...outputs] = (await readScreen(output())).split(`${marker}\n`);
  return outputs.slice(0, -1);
}

/** Returns everything that a terminal shows after this output, without styles. Lines that it wraps are joined. */
async function readScreen(output: string): Promise<string> {
  const terminal = new headless.Terminal({ cols: columns, rows: 24, scrollback: 10_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  let text = '';
  for (let y = 0; y < active.length; y += 1) {
    const line = active.getLine(y);
    const isContinued = active.getLine(y + 1)?.isWrapped ?? false;
    text += `${line?.translateToString(!isContinued) ?? ''}${isContinued ? '' : '\n'}`;
  }
  return text;
}

/** Starts a server behind TLS and a proxy, so that clients reach it as https://staging.example.com. */
async function openStaging(): Promise<{ readonly apiKey: string; readonly proxy: string }> {
  const server = await startServer({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    clock: systemClock,
    nodeVersion: process.versions.node,
    allowHost: ['staging.example.com'],
    onError: () => {},
    log: () => {},
  });
  const tls = createServer({ key, cert: exampleHosts }, (client) => {
    const upstream = connect(server.port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    tls.close();
    await server.close();
  });
  const { address } = await openProxy({ origin: `https://127.0.0.1:${(tls.address() as AddressInfo).port}` });
  return { apiKey: server.newKey as string, proxy: address };
}
