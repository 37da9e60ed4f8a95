import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
  isSafe,
  type Transport,
} from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import type { Change, Operation } from '../api/operations.js';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import type { Client, RawReply, RawRequest } from './client-types.js';
import { deprecationNotice } from './deprecation.js';
import {
  type Circumstances,
  failureOfAnswer,
  failureOfStatus,
  failureOfTransport,
  truncated,
} from './failures.js';
import { followPages, hasNext } from './pagination.js';
import { type Destination, requestOf, requestTo } from './request.js';
import { AnswerError, findOddities, parseAnswer } from './response.js';
import { TransportError } from './transport-error.js';

export interface ClientOptions {
  readonly destination: Destination;
  readonly send: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where the key came from, for the hint of a rejected one. */
  readonly keySource: string;
  /** What to do where the quota is used up. */
  readonly limitHint?: (wait: number) => string | undefined;
  /** The flags that lead another command to the same store, with a space before each. */
  readonly sameStore: () => string;
  /** Told of records that the interface does not describe so, and of operations that will go. */
  readonly onOddity: (text: string) => void;
}

/** A client over a transport: requests from operations, replies or failures from answers. */
export function createClient(options: ClientOptions): Client {
  const { destination, clock } = options;
  const exchanges = openExchanges(options);
  const told = new Set<string>();
  const tellOnce = (text: string) => {
    if (told.has(text)) return;
    told.add(text);
    options.onOddity(text);
  };
  // A command whose end is known warns of it by itself.
  const tellEnd = ({ headers }: HttpResponse, known?: number) => {
    const notice = deprecationNotice(headers, clock.now());
    if (!notice) return;
    const sunset = parseHttpDate(headerOf(headers, 'sunset'), clock.now());
    if (sunset !== known) tellOnce(notice);
  };
  const exchange = async <Output>(
    operation: Operation<never, Output>,
    request: HttpRequest,
  ): Promise<Answered<Output>> => {
    const { value, response } = await exchanges.askUntilWhole(operation, request);
    for (const oddity of findOddities(operation, value)) tellOnce(oddity);
    tellEnd(response, operation.deprecated?.removal);
    return { value, response };
  };
  const raw = async ({ method, target, headers, ...more }: RawRequest): Promise<RawReply> => {
    const bare = requestTo(method, target, destination);
    const request = { ...bare, ...more, headers: { ...bare.headers, ...headers } };
    const change = isSafe(method) ? undefined : rawChange;
    const response = await exchanges.send(request, change);
    tellEnd(response);
    if (isSuccess(response)) return { response };
    return { response, failure: exchanges.failureOf(response, change) };
  };
  return {
    origin: destination.origin,
    basePath: destination.path,
    raw,
    call: async (operation, input, witness) => {
      const bare = requestOf(operation, input, destination);
      const request = witness ? { ...bare, witness } : bare;
      const { value, response } = await exchange(operation, request);
      return { value, hasNext: hasNext(response) };
    },
    pages: (operation, input) => {
      const request = requestOf(operation, input, destination);
      const ask = (target: string) => exchange(operation, { ...request, target });
      return followPages(request, ask, ({ value, response }) => ({
        value,
        hasNext: hasNext(response),
      }));
    },
    rawPages: (request, first) => {
      const { origin } = destination;
      const { target } = request;
      const ask = async (next: string) =>
        next === target ? first : raw({ ...request, target: next });
      return followPages({ origin, target }, ask);
    },
  };
}

/** A request that petstore does not know may have done anything. */
const rawChange: Change = {
  what: 'the request',
  done: 'carried out',
  check: () => 'ask the service; sending it again may do it twice',
};

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}

interface Answered<Output> {
  readonly value: Output;
  readonly response: HttpResponse;
}

/** Exchanges with one service; what fails in them is worded for the change that was to be made. */
function openExchanges(options: ClientOptions) {
  const { destination, send, clock, signal, keySource, limitHint, sameStore } = options;
  const circumstancesOf = (change: Change | undefined): Circumstances => ({
    change: change && { ...change, check: change.check(sameStore()) },
    host: new URL(destination.origin).host,
    keySource,
    limitHint,
    now: clock.now(),
  });
  const failureOf = (response: HttpResponse, change: Change | undefined) =>
    failureOfStatus(response, circumstancesOf(change));
  const sendOrFail = async (request: HttpRequest, change: Change | undefined) => {
    try {
      return await send(request, signal);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw failureOfTransport(error, circumstancesOf(change));
    }
  };
  const ask = async <Output>(
    operation: Operation<never, Output>,
    request: HttpRequest,
  ): Promise<Answered<Output>> => {
    const { change } = operation;
    const response = await sendOrFail(request, change);
    if (!isSuccess(response)) throw failureOf(response, change);
    try {
      return { value: parseAnswer(operation, response), response };
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      throw failureOfAnswer(error, response, circumstancesOf(change));
    }
  };
  return {
    send: sendOrFail,
    failureOf,
    /** An answer that was cut off without a sign of it on the wire is asked for once more, whole. */
    askUntilWhole: async <Output>(operation: Operation<never, Output>, request: HttpRequest) => {
      try {
        return await ask(operation, request);
      } catch (error) {
        const isCutOff = error instanceof Failure && error.details.code === truncated;
        if (!isCutOff || operation.change) throw error;
        return ask(operation, request);
      }
    },
  };
}
