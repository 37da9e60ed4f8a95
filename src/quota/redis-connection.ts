import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { type Clock, withTimeout } from '../clock.js';
import { installOptionalHint } from '../failure.js';
import type { RedisAddress } from './redis-address.js';
import { resolveHost } from './resolve-host.js';

type RedisReply = string | number | null | readonly RedisReply[];

/** A connection to Redis or Valkey. Every error is a `RedisError`. */
export interface RedisConnection {
  /** The URL without username and password. */
  readonly endpoint: string;
  /** Sends one command. Connects first if there is no connection. Rejects after `timeoutMs`. */
  send(command: readonly string[], timeoutMs: number): Promise<RedisReply>;
  /** Closes the connection at once. */
  close(): void;
}

/** Why Redis cannot be used. The message completes the sentence that starts with the endpoint. */
export class RedisError extends Error {
  override readonly name = 'RedisError';
  /** The first word of an error reply, such as `NOAUTH`. */
  readonly code: string | undefined;

  constructor(message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/** Opens a connection when the first command is sent, and again if it was lost. */
export function openRedisConnection(address: RedisAddress, clock: Clock): RedisConnection {
  let current: Promise<RedisSession> | undefined;
  let isClosed = false;
  const drop = (session: Promise<RedisSession>, error: RedisError) => {
    if (session === current) current = undefined;
    session.then(({ end }) => end(error)).catch(() => {});
  };
  const openSession = () => {
    const session: Promise<RedisSession> = connectToRedis(address, (error) => drop(session, error));
    session.catch((error: RedisError) => drop(session, error));
    return session;
  };
  return {
    endpoint: address.displayUrl,
    send: async (command, timeoutMs) => {
      if (isClosed) throw new RedisError('was disconnected');
      current ??= openSession();
      const session = current;
      const reply = session.then(({ send }) => send(command));
      return withTimeout(reply, Math.max(0, timeoutMs), clock, async (signal) => {
        // On a busy machine the reply may have arrived without having been read.
        await clock.sleep(1, signal);
        const error = new RedisError('did not respond in time');
        // A late reply must not be taken for the reply to the next command.
        drop(session, error);
        throw error;
      });
    },
    close: () => {
      isClosed = true;
      if (current) drop(current, new RedisError('was disconnected'));
    },
  };
}

type RedisSession = Awaited<ReturnType<typeof connectToRedis>>;

/** Opens one connection. `onEnd` is called when it ends. */
async function connectToRedis(address: RedisAddress, onEnd: (error: RedisError) => void) {
  const { encode, Decoder } = await loadProtocol();
  const socket = await openSocket(address);
  /** Commands without a reply. Replies arrive in the order of the commands. */
  const pending: { resolve(reply: RedisReply): void; reject(error: Error): void }[] = [];
  let ended: RedisError | undefined;
  const takePending = () => {
    const command = pending.shift();
    if (!command) throw new Error('unexpected reply');
    return command;
  };
  const decoder = new Decoder({
    onReply: (reply) => takePending().resolve(reply),
    onErrorReply: (error) => takePending().reject(toReplyError(error)),
    onPush: () => {},
    getTypeMapping: () => ({}),
  });
  const end = (error: RedisError) => {
    if (ended) return;
    ended = error;
    socket.destroy();
    for (const { reject } of pending.splice(0)) reject(error);
    onEnd(error);
  };
  const write = (command: readonly string[]) =>
    new Promise<RedisReply>((resolve, reject) => {
      if (ended) return reject(ended);
      pending.push({ resolve, reject });
      socket.write(encode(command).join(''));
    });
  socket
    .on('data', (chunk) => {
      try {
        decoder.write(chunk);
      } catch (error) {
        end(new RedisError('sent a reply that is not in the Redis protocol', { cause: error }));
      }
    })
    .on('error', (error) => end(toConnectionError(error)))
    .on('close', () => end(new RedisError('closed the connection')));
  const { username, password, database } = address;
  const setup = [
    ...(password === '' ? [] : [['AUTH', ...(username === '' ? [] : [username]), password]]),
    ...(database === 0 ? [] : [['SELECT', String(database)]]),
  ];
  const ready = Promise.all(setup.map(write));
  ready.catch(end);
  return {
    send: async (command: readonly string[]) => {
      // A command must not reach another database than the selected one.
      if (setup.length > 0) await ready;
      return write(command);
    },
    end,
  };
}

/**
 * Loads only the protocol of the client, from internal files, so its version is pinned. A command with the quota state
 * in Redis may take 40 ms of CPU time more than one with the state in a file, and takes 6 ms more. The public clients
 * add, on Node.js 20 and 24: ioredis 61 and 66 ms (bundled, from the code cache: 23 and 59), @redis/client 81 and 100
 * (bundled).
 */
async function loadProtocol() {
  try {
    const { default: encoder } = await import('@redis/client/dist/lib/RESP/encoder.js');
    const { Decoder } = await import('@redis/client/dist/lib/RESP/decoder.js');
    // `import` and `require` differ in what the default export of CommonJS is.
    return { encode: encoder.default ?? (encoder as unknown as typeof encoder.default), Decoder };
  } catch (error) {
    throw new RedisError(`needs the optional package @redis/client: ${installOptionalHint}`, {
      cause: error,
    });
  }
}

async function openSocket({ isTls, host, port }: RedisAddress): Promise<Socket> {
  const lookup: LookupFunction = (name, _, done) =>
    resolveHost(name).then(
      (address) => done(null, address, isIP(address)),
      (error) => done(error, ''),
    );
  const options = { host, port, lookup, autoSelectFamily: false, noDelay: true, keepAlive: true };
  if (!isTls) return connect(options);
  const tls = await import('node:tls');
  return tls.connect({ ...options, ...(isIP(host) === 0 && { servername: host }) });
}

/** Keeps only the first word of an error reply, since the rest may repeat the command with the password. */
function toReplyError({ message }: Error): RedisError {
  const code = /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'ERR';
  const isUnauthorized = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code);
  const text = isUnauthorized ? 'rejected the user name or password' : 'rejected the command';
  return new RedisError(`${text} (${code})`, { code });
}

function toConnectionError(error: Error): RedisError {
  const { code = 'connection failed' } = error as NodeJS.ErrnoException;
  const text = code === 'ECONNREFUSED' ? 'refused the connection' : `is unreachable (${code})`;
  return new RedisError(text, { cause: error });
}
