import {
  findLink,
  getHeader,
  type HttpRequest,
  type HttpResponse,
  hasIdempotencyKey,
  idempotencyKeyHeader,
  isSafeMethod,
} from '../api/http.js';
import type { Mutation, Operation } from '../api/operations.js';
import type { Outcome, Transport } from '../api/outcome.js';
import type { Clock } from '../clock.js';
import type { Failure } from '../failure.js';
import type { IdempotencySupport } from '../quota/quota-state.js';
import type { FailureContext } from './failures.js';
import type { LimitHint } from './limit-hint.js';
import type { Middleware } from './middleware.js';
import { isSuccess, type SuccessfulOutcome } from './outcome.js';
import { followPages } from './pagination.js';
import { buildOperationRequest, buildRawRequest, type RawRequest, type ServiceEndpoint } from './request.js';
import { findSchemaViolations, formatDeprecationNotice, InvalidResponseError, parseResponse } from './response.js';
import type { QuotaPolicy } from './with-quota.js';

interface OperationResult<Output> {
  readonly value: Output;
  /** True if the response links to a next page. */
  readonly hasNext: boolean;
}

/** A page of a list. */
interface PageResult<Output> extends OperationResult<Output> {
  /** Path and query of the request for the page. */
  readonly target: string;
}

export interface RawResult {
  readonly response: HttpResponse;
  /** Set unless the status is 2xx. */
  readonly failure?: Failure;
}

/** How a request is sent. With `once`, there are no retries either. */
export interface SendPolicy extends QuotaPolicy {
  /** Wraps each attempt that the quota lets pass. */
  readonly observe?: Middleware;
}

export interface SendOptions extends SendPolicy {
  /** Cancels the request, but not the client. */
  readonly signal?: AbortSignal;
}

interface CallOptions extends SendOptions {
  /** The idempotency key of a change (default: a new one). */
  readonly idempotencyKey?: string | undefined;
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
   * requests the failed page again. `getOptions` returns how to send the next request.
   */
  paginate<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    getOptions?: () => SendOptions,
  ): AsyncIterableIterator<PageResult<Output>>;
  /** Sends a request and returns its response, whatever the status. */
  sendRaw(request: RawRequest, policy?: SendPolicy): Promise<RawResult>;
  /** Yields `first` and the pages that follow it. Throws (service) on a link that cannot be followed. */
  paginateRaw(request: RawRequest, first: RawResult, policy?: SendPolicy): AsyncIterable<RawResult>;
  readonly idempotency: Idempotency;
}

/** Creates idempotency keys, and knows whether the service honors them. */
interface Idempotency {
  readonly createKey: () => string;
  /** Returns the proof that the service honors keys; undefined without a proof. */
  readonly findSupport: () => Promise<IdempotencySupport | undefined>;
}

export interface ClientOptions {
  readonly endpoint: ServiceEndpoint;
  /** Returns the transport for a request with this policy. */
  readonly open: (policy: SendPolicy) => Transport;
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

/** Returns a client that turns operations into requests, and outcomes into results or failures. */
export function createClient(options: ClientOptions): Client {
  const { endpoint, clock, idempotency, signal: clientSignal } = options;
  const warned = new Set<string>();
  const warnOnce = (text: string) => {
    if (!warned.has(text)) options.onWarning(text);
    warned.add(text);
  };
  // A command that knows the removal date prints its own warning.
  const warnIfDeprecated = ({ headers }: HttpResponse, knownRemoval?: number) => {
    const notice = formatDeprecationNotice(headers, { now: clock.now(), knownRemoval });
    if (notice !== undefined) warnOnce(notice);
  };
  const send = (request: HttpRequest, { signal, ...policy }: SendOptions) =>
    options.open(policy)(request, signal ? AbortSignal.any([clientSignal, signal]) : clientSignal);
  const call = async <Output>(
    operation: Operation<never, Output>,
    request: HttpRequest,
    policy: SendOptions,
  ): Promise<OperationResult<Output> & { readonly response: HttpResponse }> => {
    const outcome = await send(request, policy);
    const { mutation: change } = operation;
    if (!isSuccess(outcome)) throw await createFailure(outcome, { request, change, policy }, options);
    const { response } = outcome;
    const value = await parseOrFail(operation, outcome, () => createContext({ request, change, policy }, options));
    for (const violation of findSchemaViolations(operation, value)) warnOnce(violation);
    warnIfDeprecated(response, operation.deprecated?.removalAt);
    return { value, response, hasNext: findLink(getHeader(response.headers, 'link'), 'next') !== undefined };
  };
  const sendRaw = async (raw: RawRequest, policy: SendPolicy = {}): Promise<RawResult> => {
    const key = raw.method === 'POST' ? idempotency.createKey() : undefined;
    const request = withKey(buildRawRequest(raw, endpoint), key);
    const outcome = await send(request, policy);
    const change = isSafeMethod(raw.method) ? undefined : unknownChange;
    const failure = isSuccess(outcome) ? undefined : await createFailure(outcome, { request, change, policy }, options);
    if (outcome.lost) throw failure;
    warnIfDeprecated(outcome.response);
    return { response: outcome.response, ...(failure && { failure }) };
  };
  return {
    origin: endpoint.origin,
    basePath: endpoint.basePath,
    sendRaw,
    idempotency,
    call: async (operation, input, { idempotencyKey, ...policy } = {}) => {
      const key = operation.mutation && (idempotencyKey ?? idempotency.createKey());
      const request = withKey(buildOperationRequest(operation, input, endpoint), key);
      const { value, hasNext } = await call(operation, request, policy);
      return { value, hasNext };
    },
    paginate: (operation, input, getOptions = () => ({})) => {
      const request = buildOperationRequest(operation, input, endpoint);
      const fetchPage = async (target: string) => ({
        ...(await call(operation, { ...request, target }, getOptions())),
        target,
      });
      return followPages(request, fetchPage);
    },
    paginateRaw: (request, first, policy) => {
      const fetchPage = async (target: string) =>
        target === request.target ? first : sendRaw({ ...request, target }, policy);
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

interface SentRequest {
  readonly request: HttpRequest;
  /** The change that the request would have made; undefined for a read. */
  readonly change: Mutation | undefined;
  readonly policy: SendPolicy;
}

function createContext(
  { request, change, policy }: SentRequest,
  { endpoint, clock, keySource, limitHint, serviceFlags }: ClientOptions,
): FailureContext {
  return {
    change: change && { ...change, checkHint: change.checkHint(serviceFlags) },
    request,
    once: policy.once,
    serviceFlags,
    host: new URL(endpoint.origin).host,
    keySource,
    limitHint,
    now: clock.now(),
  };
}

/** Loads the messages of failures, which a command that succeeds does not need. */
function loadFailures() {
  return import('./failures.js');
}

async function createFailure(outcome: Outcome, sent: SentRequest, options: ClientOptions): Promise<Failure> {
  return (await loadFailures()).failureFromOutcome(outcome, createContext(sent, options));
}

async function parseOrFail<Output>(
  operation: Operation<never, Output>,
  outcome: SuccessfulOutcome,
  getContext: () => FailureContext,
): Promise<Output> {
  try {
    return parseResponse(operation, outcome.response);
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    throw (await loadFailures()).failureFromInvalidResponse(error, outcome, getContext());
  }
}
