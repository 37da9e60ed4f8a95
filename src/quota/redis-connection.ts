import { createHash } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { type Clock, withTimeout } from '../clock.js';
import type { Redactor } from '../config/secret.js';
import { Secret } from '../config/secret.js';
import { installOptionalHint } from '../failure.js';
import { findAddress } from './find-address.js';
import { type Redis, RedisError, type RedisReply } from './redis.js';
import type { RedisAddress } from './redis-address.js';

interface RedisOptions {
  readonly clock: Clock;
  /** How long all is refused after a connection failed, in milliseconds, so that none is tried too often. */
  readonly pause: number;
  /** Learns the password before anything could show it. */
  readonly redactor: Pick<Redactor, 'add'>;
}

/** Redis behind one connection, made when it is first needed and again after it was lost. */
export function openRedis(address: RedisAddress, { clock, pause, redactor }: RedisOptions): Redis {
  redactor.add(new Secret(address.password));
  const { place } = address;
  let connecting: Promise<Line> | undefined;
  let failed: { readonly error: RedisError; readonly until: number } | undefined;
  let isClosed = false;
  const digests = new Map<string, string>();
  const forget = (line: Promise<Line>, error: RedisError) => {
    if (line !== connecting) return;
    connecting = undefined;
    failed = { error, until: clock.now() + pause };
  };
  const drop = (line: Promise<Line>, error: RedisError) => {
    forget(line, error);
    line.then(({ end }) => end(error)).catch(() => {});
  };
  const open = () => {
    const opening: Promise<Line> = openLine(address, (error) => forget(opening, error));
    opening.catch((error: RedisError) => forget(opening, error));
    return opening;
  };
  const line = () => {
    if (isClosed) throw new RedisError('is closed');
    // A clock that was set back does not keep it away.
    const isPausing = failed && clock.now() < failed.until && failed.until - clock.now() <= pause;
    if (failed && isPausing) throw failed.error;
    connecting ??= open();
    return connecting;
  };
  const send = async (words: readonly string[], within: number) => {
    const using = line();
    const answer = using.then((one) => one.send(words));
    return withTimeout(answer, Math.max(0, within), clock, async (over) => {
      // On a machine that is busy the answer may be here, and only not read yet.
      await clock.sleep(1, over);
      const error = new RedisError('does not answer in time');
      // What still comes is the answer to a question that nobody asks any more.
      drop(using, error);
      throw error;
    });
  };
  return {
    place,
    send,
    run: async (script, keys, values, within) => {
      const digest = digests.get(script) ?? createHash('sha1').update(script).digest('hex');
      digests.set(script, digest);
      const words = [String(keys.length), ...keys, ...values];
      const begin = clock.now();
      try {
        return await send(['EVALSHA', digest, ...words], within);
      } catch (error) {
        if (!(error instanceof RedisError) || error.code !== 'NOSCRIPT') throw error;
        return send(['EVAL', script, ...words], within - Math.max(0, clock.now() - begin));
      }
    },
    close: () => {
      isClosed = true;
      if (connecting) drop(connecting, new RedisError('is closed'));
    },
  };
}

/** One connection, from its making to its end. */
interface Line {
  send(words: readonly string[]): Promise<RedisReply>;
  end(error: RedisError): void;
}

async function openLine(address: RedisAddress, onEnd: (error: RedisError) => void): Promise<Line> {
  const { encode, Decoder } = await loadProtocol();
  const socket = await openSocket(address);
  /** What was asked and is not answered yet: answers come in the order of the questions. */
  const asked: { resolve(reply: RedisReply): void; reject(error: Error): void }[] = [];
  let isOver: RedisError | undefined;
  const decoder = new Decoder({
    onReply: (reply) => next().resolve(reply),
    onErrorReply: (error) => next().reject(refusal(error)),
    onPush: () => {},
    getTypeMapping: () => ({}),
  });
  const next = () => {
    const one = asked.shift();
    if (!one) throw new Error('an answer that nobody has asked for');
    return one;
  };
  const end = (error: RedisError) => {
    if (isOver) return;
    isOver = error;
    socket.destroy();
    for (const { reject } of asked.splice(0)) reject(error);
    onEnd(error);
  };
  const ask = (words: readonly string[]) =>
    new Promise<RedisReply>((resolve, reject) => {
      if (isOver) return reject(isOver);
      asked.push({ resolve, reject });
      socket.write(encode(words).join(''));
    });
  socket
    .on('data', (chunk) => {
      try {
        decoder.write(chunk);
      } catch (error) {
        end(new RedisError('answers with something that is not Redis', { cause: error }));
      }
    })
    .on('error', (error) => end(broken(error)))
    .on('close', () => end(new RedisError('closed the connection')));
  const { user, password, database } = address;
  // What follows must not reach another database than the one that was named.
  const greetings = [
    ...(password === '' ? [] : [['AUTH', ...(user === '' ? [] : [user]), password]]),
    ...(database === 0 ? [] : [['SELECT', String(database)]]),
  ];
  const greeted = Promise.all(greetings.map(ask));
  greeted.catch(end);
  return {
    send: async (words) => {
      if (greetings.length > 0) await greeted;
      return ask(words);
    },
    end,
  };
}

/**
 * Of the client only its protocol: the whole of it is close to five hundred files, one for each command, and takes
 * forty times as long to load. The version is pinned, since these are its insides.
 */
async function loadProtocol() {
  try {
    const { default: encoder } = await import('@redis/client/dist/lib/RESP/encoder.js');
    const { Decoder } = await import('@redis/client/dist/lib/RESP/decoder.js');
    // Who loads CommonJS does not agree on what its default is.
    return { encode: encoder.default ?? (encoder as unknown as typeof encoder.default), Decoder };
  } catch (error) {
    throw new RedisError(`needs the optional package @redis/client: ${installOptionalHint}`, {
      cause: error,
    });
  }
}

async function openSocket({ isEncrypted, host: name, port }: RedisAddress): Promise<Socket> {
  const host = await findAddress(name).catch((error: Error) => {
    throw broken(error);
  });
  const options = { host, port, noDelay: true, keepAlive: true };
  if (!isEncrypted) return connect(options);
  const tls = await import('node:tls');
  const checkServerIdentity = (_: string, certificate: PeerCertificate) =>
    tls.checkServerIdentity(name, certificate);
  const named = isIP(name) === 0 && { servername: name };
  return tls.connect({ ...options, ...named, checkServerIdentity });
}

/** Its error answers may repeat what they were sent: their first word is enough. */
function refusal({ message }: Error): RedisError {
  const code = /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'ERR';
  const isStranger = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code);
  const words = isStranger ? 'does not take this user and password' : 'refuses';
  return new RedisError(`${words} (${code})`, { code });
}

function broken(error: Error): RedisError {
  const { code = 'connection failed' } = error as NodeJS.ErrnoException;
  const words = code === 'ECONNREFUSED' ? 'refuses connections' : `cannot be reached (${code})`;
  return new RedisError(words, { cause: error });
}
