import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { unmapAddress } from './client-network.js';

/**
 * A connection that hands the HTTP parser one request at a time. While a response is pending it neither parses nor reads,
 * so that a client that sends requests without reading responses fills only its own socket buffers. At most one further
 * request is parsed: one that follows a body in the same bytes.
 */
export class PacedConnection extends Duplex {
  /** Empty if the client is gone already. */
  readonly remoteAddress: string;
  readonly #socket: Socket;
  /** Whether a complete request awaits its response. */
  readonly #isResponding: () => boolean;
  /** Bytes that were received but not parsed. */
  #received: Buffer | undefined;
  #wantsBytes = false;
  #isEnded = false;
  #isDiscarding = false;
  /** How many bytes may be parsed before `releaseBody`, or in this turn. */
  #maxBytes = Number.POSITIVE_INFINITY;
  /** Whether the request that has just begun has a chunked body. */
  #isChunked = false;
  /** Whether a chunked body is being read, and waits for a turn whenever `maxBytes` is 0. */
  #takesTurns = false;

  constructor(socket: Socket, isResponding: (connection: PacedConnection) => boolean) {
    super({ readableHighWaterMark: 65_536 });
    this.#socket = socket;
    this.remoteAddress = unmapAddress(socket.remoteAddress ?? '');
    this.#isResponding = () => isResponding(this);
    socket.on('data', (chunk) => {
      if (this.#isDiscarding) return;
      this.#received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk;
      socket.pause();
      this.#proceed();
    });
    socket.on('end', () => {
      this.#isEnded = true;
      this.#proceed();
    });
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** Parses only the start of the body of a request that has just begun: each chunk of a body costs memory. */
  holdBody({ isChunked }: { readonly isChunked: boolean }): void {
    this.#isChunked = isChunked;
    this.#takesTurns = false;
    this.#maxBytes = isChunked ? maxHeldChunkedBytes : maxHeldBytes;
  }

  /** Parses the rest of a body, once it is read. A chunked body takes turns with those of other connections. */
  releaseBody(): void {
    this.#takesTurns = this.#isChunked;
    if (!this.#isChunked) this.#maxBytes = Number.POSITIVE_INFINITY;
    this.#proceed();
  }

  /** Parses the next part of a chunked body, which waits for another turn if there is more. */
  continueBody(): void {
    if (!this.#takesTurns) return;
    this.#maxBytes = maxChunkedBytes;
    this.#proceed();
  }

  /** Reads everything that follows without parsing it: a chunked body can have a chunk for each byte. */
  discardRest(): void {
    this.#isDiscarding = true;
    this.#received = undefined;
    this.#socket.resume();
  }

  /** Parses and reads more, once a response is complete. Other connections come first. */
  continueAfterResponse(isIdle: boolean): void {
    if (isIdle) {
      this.#takesTurns = false;
      this.#maxBytes = Number.POSITIVE_INFINITY;
    }
    if (this.#received) setImmediate(() => this.#proceed());
    else this.#proceed();
  }

  /** Parses the received bytes, up to the end of one request's headers at a time; then reads more. */
  #proceed(): void {
    while (this.#wantsBytes && this.#received && this.#maxBytes > 0 && !this.#isResponding()) {
      const bytes = this.#received;
      const headersEnd = bytes.indexOf('\r\n\r\n') + 4;
      const end = Math.min(headersEnd === 3 ? bytes.length : headersEnd, this.#maxBytes);
      this.#received = end === bytes.length ? undefined : bytes.subarray(end);
      this.#maxBytes -= end;
      // The parser runs within this call.
      this.#wantsBytes = this.push(bytes.subarray(0, end));
    }
    if (this.#received) {
      if (this.#takesTurns && this.#maxBytes === 0) waitForTurn(this);
      return;
    }
    if (!this.#isEnded) this.#socket.resume();
    // node:http closes the connection then, and a half-closed one would not get its response.
    else if (!this.#isResponding()) this.push(null);
  }

  override _read(): void {
    this.#wantsBytes = true;
    if (this.#received || this.#isEnded) this.#proceed();
  }

  override _write(chunk: Uint8Array, _: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  /** Sends headers and body in one packet, without a copy: connections share the files of the docs page. */
  override _writev(parts: readonly { readonly chunk: Uint8Array }[], done: (error?: Error | null) => void): void {
    this.#socket.cork();
    parts.forEach(({ chunk }, index) => {
      this.#socket.write(chunk, index === parts.length - 1 ? done : undefined);
    });
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#received = undefined;
    this.#socket.destroy();
    done(error);
  }

  /** node:http sets the timeouts of a connection. */
  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  /** Closes the connection once everything is written. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): void {
    this.#socket.resetAndDestroy();
  }
}

const maxHeldBytes = 4_096;
const maxHeldChunkedBytes = 512;
const maxChunkedBytes = 4_096;

/** Connections with a chunked body, in the order of their turns. */
const waiting = new Set<PacedConnection>();
let isScheduled = false;

/**
 * Continues one chunked body in each turn of the event loop. A body can have a chunk for each byte, and a part of
 * `maxChunkedBytes` then takes about 2 ms. With 240 such connections, requests of other clients would wait for minutes.
 */
function waitForTurn(connection: PacedConnection): void {
  waiting.add(connection);
  if (!isScheduled) setImmediate(continueNext);
  isScheduled = true;
}

function continueNext(): void {
  const [next, another] = waiting;
  isScheduled = another !== undefined;
  if (isScheduled) setImmediate(continueNext);
  if (next) waiting.delete(next);
  next?.continueBody();
}
