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
import type { Transport } from '../api/outcome.js';
import type { Failure } from '../failure.js';
import type { IdempotencySupport } from '../quota/quota-state.js';
import type { ServiceFacts } from './failures.js';
import type { Middleware } from './middleware.js';
import { isSuccess } from './outcome.js';
import { followPages } from './pagination.js';
import { buildOperationRequest, buildRawRequest, type RawRequest, type ServiceEndpoint } from './request.js';
import { findSchemaViolations, withParsing } from './response.js';
import type { QuotaPolicy } from './with-quota.js';

interface OperationResult<Output> {
  readonly value: Output;
  /** True if the response links to a next page. */
  readonly hasNext: boolean;
  readonly response: HttpResponse;
}

export interface RawResult {
  readonly response: HttpResponse;
  /** Set unless the status is 2xx. */
  readonly failure?: Failure | undefined;
}

/** How a request is sent. */
export interface SendOptions extends QuotaPolicy {
  /** Wraps each attempt that the quota lets pass. */
  readonly observe?: Middleware;
  /** Cancels the request, but not the client. */
  readonly signal?: AbortSignal;
  /** The idempotency key of a POST (default: a new one). */
  readonly idempotencyKey?: string | undefined;
}

export interface ClientOptions extends ServiceFacts {
  readonly endpoint: ServiceEndpoint;
  /** Returns the transport for a request. `inner` wraps each attempt that the quota lets pass. */
  readonly open: (policy: QuotaPolicy, inner: readonly Middleware[]) => Transport;
  readonly signal: AbortSignal;
  readonly idempotency: {
    readonly createKey: () => string;
    /** Returns the proof that the service honors keys; undefined without a proof. */
    readonly findSupport: () => Promise<IdempotencySupport | undefined>;
  };
  /** Receives a warning for each way in which records violate the API spec. */
  readonly onWarning: (text: string) => void;
}

/** A client for one service with one API key. Its methods throw `Failure` only. */
export type Client = ReturnType<typeof createClient>;

/** Returns a client that turns operations into requests, and outcomes into results or failures. */
export function createClient(options: ClientOptions) {
  const { endpoint, idempotency } = options;
  const warned = new Set<string>();
  const warnOnce = (text: string) => {
    if (!warned.has(text)) options.onWarning(text);
    warned.add(text);
  };
  const send = async (
    plain: HttpRequest,
    change: Mutation | undefined,
    { signal: ownSignal, idempotencyKey, observe, ...policy }: SendOptions = {},
    parse?: Middleware,
  ): Promise<RawResult> => {
    const request = plain.method === 'POST' ? withKey(plain, idempotencyKey ?? idempotency.createKey()) : plain;
    const signal = ownSignal ? AbortSignal.any([options.signal, ownSignal]) : options.signal;
    const inner = [observe, parse].filter((one) => one !== undefined);
    const outcome = await options.open(policy, inner)(request, signal);
    const { lost, response } = outcome;
    if (isSuccess(outcome)) return { response: outcome.response };
    // Loaded late, since a command that succeeds does not need it.
    const { failureFromOutcome } = await import('./failures.js');
    const failure = failureFromOutcome(outcome, { ...options, request, change, signal, once: policy.once });
    if (lost) throw failure;
    return { response, failure };
  };
  const call = async <Output>(
    operation: Operation<never, Output>,
    request: HttpRequest,
    sendOptions?: SendOptions,
  ): Promise<OperationResult<Output>> => {
    let value = undefined as Output;
    const parse = withParsing(operation, (parsed) => {
      value = parsed;
    });
    const { response, failure } = await send(request, operation.mutation, sendOptions, parse);
    if (failure) throw failure;
    for (const violation of findSchemaViolations(operation, value)) warnOnce(violation);
    return { value, response, hasNext: findLink(getHeader(response.headers, 'link'), 'next') !== undefined };
  };
  const sendRaw = (raw: RawRequest, sendOptions?: SendOptions): Promise<RawResult> =>
    send(buildRawRequest(raw, endpoint), isSafeMethod(raw.method) ? undefined : unknownChange, sendOptions);
  return {
    origin: endpoint.origin,
    /** The path of the base URL: `/v1`. */
    basePath: endpoint.basePath,
    idempotency,
    call: <Input, Output>(operation: Operation<Input, Output>, input: Input, sendOptions?: SendOptions) =>
      call(operation, buildOperationRequest(operation, input, endpoint), sendOptions),
    /**
     * Yields the first page and all that follow. Throws (service) on a page that repeats. After a failure, `next()`
     * requests the failed page again. `getOptions` returns how to send the next request.
     */
    paginate: <Input, Output>(operation: Operation<Input, Output>, input: Input, getOptions?: () => SendOptions) =>
      followPages(buildOperationRequest(operation, input, endpoint), (request) =>
        call(operation, request, getOptions?.()),
      ),
    /** Sends a request and returns its response, whatever the status. */
    sendRaw,
    /** Yields `first` and the pages that follow it. Throws (service) on a link that cannot be followed. */
    paginateRaw: (raw: RawRequest, first: RawResult) =>
      followPages(buildRawRequest(raw, endpoint), async ({ target }) =>
        target === raw.target ? first : sendRaw({ ...raw, target }),
      ),
  };
}

/** The effect of a raw request, about which nothing is known. */
const unknownChange: Mutation = {
  object: 'the request',
  participle: 'processed',
  checkHint: () => 'check the data of the service before you send the request again',
};

/** Adds an idempotency key unless the request has one. */
function withKey(request: HttpRequest, key: string): HttpRequest {
  return hasIdempotencyKey(request)
    ? request
    : { ...request, headers: { ...request.headers, [idempotencyKeyHeader]: key } };
}
