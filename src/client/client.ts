import type { Clock } from '../contract/clock.js';
import type { HttpRequest, HttpResponse, Transport } from '../contract/exchange.js';
import type { Operation } from '../contract/operations.js';
import type { Client } from '../ports/client.js';
import { AnswerError, findOddities, parseAnswer } from './answer.js';
import {
  type Circumstances,
  failureOfAnswer,
  failureOfStatus,
  failureOfTransport,
} from './failures.js';
import { hasNext, nextTarget, refuseLoop } from './pages.js';
import { type Destination, requestOf, requestTo } from './request.js';
import { TransportError } from './transport-error.js';

export interface ClientOptions {
  readonly destination: Destination;
  readonly send: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where the key came from, for the hint of a rejected one. */
  readonly keySource: string;
  /** Told of records that the interface does not describe so. */
  readonly onOddity: (text: string) => void;
}

/** A client over a transport: requests from operations, replies or failures from answers. */
export function createClient(options: ClientOptions): Client {
  const { destination, send, signal } = options;
  const exchange = async <Output>(
    operation: Operation<never, Output>,
    request: HttpRequest,
  ): Promise<{ value: Output; response: HttpResponse }> => {
    const response = await send(request, signal).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
      throw failureOfTransport(error, circumstancesOf(operation, request, options));
    });
    const value = outputOf(operation, response, circumstancesOf(operation, request, options));
    for (const oddity of findOddities(operation, value)) options.onOddity(oddity);
    return { value, response };
  };
  return {
    call: async (operation, input) => {
      const request = requestOf(operation, input, destination);
      const { value, response } = await exchange(operation, request);
      return { value, hasNext: hasNext(response) };
    },
    async *pages(operation, input) {
      const seen = new Set<string>();
      let request = requestOf(operation, input, destination);
      for (;;) {
        refuseLoop(seen, request.target);
        const { value, response } = await exchange(operation, request);
        yield { value, hasNext: hasNext(response) };
        const next = nextTarget(response, request);
        if (next === undefined) return;
        request = requestTo(operation.method, next, destination);
      }
    },
  };
}

function circumstancesOf(
  { change }: Operation<never>,
  { origin }: HttpRequest,
  { keySource, clock }: ClientOptions,
): Circumstances {
  return { change, host: new URL(origin).host, keySource, now: clock.now() };
}

function outputOf<Output>(
  operation: Operation<never, Output>,
  response: HttpResponse,
  circumstances: Circumstances,
): Output {
  if (response.status < 200 || response.status > 299) {
    throw failureOfStatus(response, circumstances);
  }
  try {
    return parseAnswer(operation, response);
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    throw failureOfAnswer(error, response, circumstances);
  }
}
