import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './petstore.js';

/** A message of the Chrome DevTools Protocol. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A page of the browser that a test drives. */
export interface BrowserPage {
  /** URLs of all requests, except `data:`. */
  readonly requests: readonly string[];
  /** Errors and warnings on the console, exceptions, and violations of the Content-Security-Policy. */
  readonly problems: readonly string[];
  open(url: string): Promise<void>;
  /** Evaluates an expression and resolves to its value, awaited. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until an expression is truthy. */
  waitFor(condition: string): Promise<void>;
  /** Focuses and clicks the first element that matches a CSS selector. */
  click(selector: string): Promise<void>;
  /** Replaces the text in an input. */
  type(selector: string, text: string): Promise<void>;
  /** Resolves to a PNG file with the visible part of the page. */
  takeScreenshot(): Promise<Buffer>;
}

/** Opens an empty page in headless Chromium, which ends after the test. Pipes carry the protocol, so it needs no client. */
export async function openChromium({ width = 1000, height = 900 } = {}): Promise<BrowserPage> {
  const profile = temporaryDirectory();
  const flags = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars'],
    // Test certificates are self-signed.
    '--ignore-certificate-errors',
    ...[`--user-data-dir=${profile}`, `--window-size=${width},${height}`, '--remote-debugging-pipe', 'about:blank'],
  ];
  const browser = spawn('chromium', flags, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: profile },
  });
  const exited = once(browser, 'exit');
  const protocol = openProtocol(browser.stdio[3] as Writable, browser.stdio[4] as Readable);
  onTestFinished(async () => {
    // After a regular end, no other process of Chromium writes into the profile, which is deleted next.
    const timer = setTimeout(() => browser.kill('SIGKILL'), 10_000);
    protocol.send('Browser.close', {}).catch(() => {});
    await exited;
    clearTimeout(timer);
  });
  const { targetInfos } = await protocol.send('Target.getTargets', {});
  const { targetId } = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === 'page') ?? {};
  const { sessionId } = await protocol.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params: object = {}) => protocol.send(method, params, String(sessionId));
  const requests: string[] = [];
  const problems: string[] = [];
  protocol.observe((method, params) => {
    if (method === 'Network.requestWillBeSent') {
      const { url } = params.request as { url: string };
      if (!url.startsWith('data:')) requests.push(url);
    }
    const problem = findProblem(method, params);
    if (problem !== undefined) problems.push(problem);
  });
  for (const domain of ['Page', 'Network', 'Runtime', 'Log', 'Audits']) await send(`${domain}.enable`);

  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails } = await send('Runtime.evaluate', options);
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value: Value }).value;
  };
  const waitFor = async (condition: string): Promise<void> => {
    for (const deadline = Date.now() + 60_000; !(await evaluate(`Boolean(${condition})`)); await sleep(50)) {
      if (Date.now() > deadline) throw new Error(`still not true: ${condition}\n${problems.join('\n')}`);
    }
  };
  const click = async (selector: string) => {
    const element = `document.querySelector(${JSON.stringify(selector)})`;
    await waitFor(element);
    await evaluate(`${element}.focus(), ${element}.click()`);
  };
  return {
    requests,
    problems,
    evaluate,
    waitFor,
    click,
    open: async (url) => void (await send('Page.navigate', { url })),
    type: async (selector, text) => {
      const element = `document.querySelector(${JSON.stringify(selector)})`;
      await waitFor(element);
      await evaluate(`${element}.focus(), ${element}.select()`);
      await send('Input.insertText', { text });
    },
    takeScreenshot: async () => {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(String(data), 'base64');
    },
  };
}

/** Exchanges messages of JSON that end with NUL. */
function openProtocol(input: Writable, output: Readable) {
  const pending = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  let notify: (method: string, params: Record<string, unknown>) => void = () => {};
  let received = '';
  let lastId = 0;
  const fail = () => {
    for (const { reject } of pending.values()) reject(new Error('Chromium ended'));
  };
  input.on('error', fail);
  output.on('close', fail);
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = `${received}${chunk}`.split('\0');
    received = messages.pop() ?? '';
    for (const text of messages) {
      const { id, result = {}, error, method, params = {} } = JSON.parse(text) as Message;
      if (id === undefined) notify(method ?? '', params);
      else if (error) pending.get(id)?.reject(new Error(error.message));
      else pending.get(id)?.resolve(result);
    }
  });
  return {
    observe: (observer: typeof notify) => {
      notify = observer;
    },
    send: (method: string, params: object, sessionId?: string) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        input.write(`${JSON.stringify({ id: lastId, method, params, ...(sessionId && { sessionId }) })}\0`);
      }),
  };
}

function findProblem(method: string, params: Record<string, unknown>): string | undefined {
  const text = JSON.stringify(params);
  if (method === 'Runtime.exceptionThrown') return text;
  if (method === 'Audits.issueAdded' && text.includes('ContentSecurityPolicy')) return text;
  if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(String(params.type)))
    return text;
  const { level } = (params.entry ?? {}) as { readonly level?: string };
  return method === 'Log.entryAdded' && (level === 'error' || level === 'warning') ? text : undefined;
}
