import {
  findLink,
  getHeader,
  type HttpRequest,
  type HttpResponse,
  hasIdempotencyKey,
  idempotencyKeyHeader,
  isSafeMethod,
  type SendObserver,
  type Transport,
} from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import type { Mutation, Operation } from '../api/operations.js';
import type { Clock } from '../clock.js';
import type { Failure } from '../failure.js';
import type { LimitHint } from '../quota/gate.js';
import { isKeyStored } from '../quota/idempotency-support.js';
import type { IdempotencySupport } from '../quota/quota-state.js';
import type { FailureContext } from './failures.js';
import { followPages } from './pagination.js';
import { buildOperationRequest, buildRawRequest, type RawRequest, type ServiceEndpoint } from './request.js';
import { findSchemaViolations, formatDeprecationNotice, InvalidResponseError, parseResponse } from './response.js';
import { TransportError } from './transport-error.js';

interface OperationResult<Output> {
  readonly value: Output;
  /** True if the response links to a next page. */
  readonly hasNext: boolean;
}

/** A page of a list. */
export interface PageResult<Output> extends OperationResult<Output> {
  /** Path and query of the request for the page. */
  readonly target: string;
}

export interface RawResult {
  readonly response: HttpResponse;
  /** Set unless the status is 2xx. */
  readonly failure?: Failure;
}

/** A client for one service with one API key. Its methods throw `Failure` only. */
export interface Client {
  readonly origin: string;
  /** The path of the base URL: `/v1`. */
  readonly basePath: string;
  call<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    options?: CallOptions,
  ): Promise<OperationResult<Output>>;
  /**
   * Yields the first page and all that follow. Throws (service) on a page that repeats. After a failure, `next()`
   * requests the failed page again. `getSignal` returns what cancels the next request, but not the client.
   */
  paginate<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    getSignal?: () => AbortSignal,
  ): AsyncIterableIterator<PageResult<Output>>;
  /** Sends a request and returns its response, whatever the status. */
  sendRaw(request: RawRequest): Promise<RawResult>;
  /** Yields `first` and the pages that follow it. Throws (service) on a link that cannot be followed. */
  paginateRaw(request: RawRequest, first: RawResult): AsyncIterable<RawResult>;
  readonly idempotency: Idempotency;
}

/** Creates idempotency keys, and knows whether the service honors them. */
interface Idempotency {
  readonly createKey: () => string;
  /** Returns the proof that the service honors keys; undefined without a proof. */
  readonly findSupport: () => Promise<IdempotencySupport | undefined>;
}

interface CallOptions {
  readonly sendObserver?: SendObserver;
  /** The idempotency key of a change (default: a new one). */
  readonly idempotencyKey?: string | undefined;
  /** Cancels the request, but not the client. */
  readonly signal?: AbortSignal;
}

export interface ClientOptions {
  readonly endpoint: ServiceEndpoint;
  readonly send: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The source of the API key, for the hint after a 401 or 403: `PETSTORE_API_KEY`. */
  readonly keySource: string;
  readonly limitHint?: LimitHint;
  readonly idempotency: Idempotency;
  /** The flags that select this service in another command. */
  readonly serviceFlags: readonly string[];
  /** Receives warnings: records that violate the API spec, and operations that are deprecated. */
  readonly onWarning: (text: string) => void;
}

/** Returns a client that turns operations into requests, and responses into results or failures. */
export function createClient(options: ClientOptions): Client {
  const { endpoint, clock, idempotency } = options;
  const caller = createCaller(options);
  const warned = new Set<string>();
  const warnOnce = (text: string) => {
    if (!warned.has(text)) options.onWarning(text);
    warned.add(text);
  };
  // A command that knows the removal date prints its own warning.
  const warnIfDeprecated = ({ headers }: HttpResponse, knownRemoval?: number) => {
    const notice = formatDeprecationNotice(headers, clock.now());
    if (!notice) return;
    const sunset = parseHttpDate(getHeader(headers, 'sunset'), clock.now());
    if (sunset !== knownRemoval) warnOnce(notice);
  };
  const call = async <Output>(operation: Operation<never, Output>, request: HttpRequest, signal?: AbortSignal) => {
    const { value, response } = await caller.callUntilComplete(operation, request, signal);
    for (const violation of findSchemaViolations(operation, value)) warnOnce(violation);
    warnIfDeprecated(response, operation.deprecated?.removalAt);
    return { value, response, hasNext: findLink(getHeader(response.headers, 'link'), 'next') !== undefined };
  };
  const sendRaw = async (raw: RawRequest): Promise<RawResult> => {
    const key = raw.method === 'POST' ? idempotency.createKey() : undefined;
    const request = withKey(buildRawRequest(raw, endpoint), key);
    const change = isSafeMethod(raw.method) ? undefined : unknownChange;
    const response = await caller.send(request, change);
    warnIfDeprecated(response);
    if (isSuccess(response)) return { response };
    return { response, failure: await caller.failureFrom(response, request, change) };
  };
  return {
    origin: endpoint.origin,
    basePath: endpoint.basePath,
    sendRaw,
    idempotency,
    call: async (operation, input, { sendObserver, idempotencyKey, signal } = {}) => {
      const key = operation.mutation && (idempotencyKey ?? idempotency.createKey());
      const request = withKey(buildOperationRequest(operation, input, endpoint), key);
      const { value, hasNext } = await call(operation, sendObserver ? { ...request, sendObserver } : request, signal);
      return { value, hasNext };
    },
    paginate: (operation, input, getSignal) => {
      const request = buildOperationRequest(operation, input, endpoint);
      const fetchPage = async (target: string) => ({
        ...(await call(operation, { ...request, target }, getSignal?.())),
        target,
      });
      return followPages(request, fetchPage);
    },
    paginateRaw: (request, first) => {
      const fetchPage = async (target: string) => (target === request.target ? first : sendRaw({ ...request, target }));
      return followPages({ origin: endpoint.origin, target: request.target }, fetchPage);
    },
  };
}

/** The effect of a raw request, about which nothing is known. */
const unknownChange: Mutation = {
  object: 'the request',
  participle: 'processed',
  checkHint: () => 'check the data of the service before you send the request again',
};

/** Adds an idempotency key unless the request has one. */
function withKey(request: HttpRequest, key: string | undefined): HttpRequest {
  if (key === undefined || hasIdempotencyKey(request)) return request;
  return { ...request, headers: { ...request.headers, [idempotencyKeyHeader]: key } };
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Loads the messages of failures, which a command that succeeds does not need. */
function loadFailures() {
  return import('./failures.js');
}

/** Sends single requests. Each failure describes the change that the request would have made. */
function createCaller(options: ClientOptions) {
  const { endpoint, send, clock, signal, keySource, limitHint, serviceFlags, idempotency } = options;
  const contextFor = (request: HttpRequest, change: Mutation | undefined): FailureContext => ({
    change: change && { ...change, checkHint: change.checkHint(serviceFlags) },
    request,
    basePath: endpoint.basePath,
    serviceFlags,
    host: new URL(endpoint.origin).host,
    keySource,
    limitHint,
    now: clock.now(),
  });
  const failureFrom = async (response: HttpResponse, request: HttpRequest, change: Mutation | undefined) => {
    const { failureFromStatus } = await loadFailures();
    return failureFromStatus(response, contextFor(request, change));
  };
  const sendOrFail = async (request: HttpRequest, change: Mutation | undefined, pageSignal?: AbortSignal) => {
    try {
      return await send(request, pageSignal ? AbortSignal.any([signal, pageSignal]) : signal);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { failureFromTransport } = await loadFailures();
      throw failureFromTransport(error, contextFor(request, change));
    }
  };
  const call = async <Output>(operation: Operation<never, Output>, request: HttpRequest, pageSignal?: AbortSignal) => {
    const { mutation: change } = operation;
    const response = await sendOrFail(request, change, pageSignal);
    if (!isSuccess(response)) throw await failureFrom(response, request, change);
    try {
      return { value: parseResponse(operation, response), response };
    } catch (error) {
      if (!(error instanceof InvalidResponseError)) throw error;
      const { failureFromInvalidResponse } = await loadFailures();
      throw failureFromInvalidResponse(error, response, contextFor(request, change));
    }
  };
  return {
    send: sendOrFail,
    failureFrom,
    /**
     * Repeats a request once if the JSON of its response ends early, which HTTP framing cannot always detect. A change is
     * repeated only if the service recognizes its key.
     */
    callUntilComplete: async <Output>(
      operation: Operation<never, Output>,
      request: HttpRequest,
      pageSignal?: AbortSignal,
    ) => {
      const start = clock.now();
      try {
        return await call(operation, request, pageSignal);
      } catch (error) {
        const support = hasIdempotencyKey(request) ? await idempotency.findSupport() : undefined;
        const canRepeat = !operation.mutation || (support && isKeyStored(support, clock.now() - start));
        const { isTruncatedResponse } = await loadFailures();
        if (!isTruncatedResponse(error) || !canRepeat) throw error;
        return call(operation, request, pageSignal).catch((later: unknown) => {
          throw operation.mutation ? error : later;
        });
      }
    },
  };
}
