import type { Gauge, Registry } from 'prom-client';
import { codeOfStatus, type ErrorBody } from '../api/error.js';
import type { HttpRequest, HttpResponse } from '../api/http.js';
import type { Clock } from '../clock.js';
import { parseJson } from '../format/json.js';
import { MissingPackage } from './missing-package.js';
import type { RequestHandler } from './request-handler.js';
import { errorResponse, unknownQuota, withQuotaHeaders } from './responses.js';
import { findOperationId, methodNotAllowed } from './routes.js';
import type { Database } from './sql.js';

/** Coats that make what a store does visible to Prometheus. */
export interface Metrics {
  /** Answers `/metrics`: inside what looks at `Host`, outside what fails on purpose. */
  withMetricsPage(handle: RequestHandler): RequestHandler;
  /** Counts and times every other request, whoever answers it: outermost. */
  withRequestMetrics(handle: RequestHandler): RequestHandler;
  countBan(): void;
}

/** The metrics of one store, apart from those of any other in this process; rejects with a `MissingPackage`. */
export async function openMetrics({
  clock,
  database,
}: {
  readonly clock: Clock;
  readonly database: Pick<Database, 'poolStats'>;
}): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await loadPromClient();
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'petstore_requests_total',
    help: 'Requests that came whole and were answered, or reset on purpose.',
    labelNames: ['method', 'operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from a request that came whole to its answer.',
    labelNames: ['method', 'operation'],
    buckets: durationBucketsSeconds,
    registers,
  });
  const refusals = new Counter({
    name: 'petstore_refusals_total',
    help: 'Answers with an Error body, by its code.',
    labelNames: ['code'],
    registers,
  });
  const bans = new Counter({
    name: 'petstore_bans_total',
    help: 'Bans of keys that began.',
    registers,
  });
  const { poolStats: pool } = database;
  if (pool) addPoolGauges(pool, (options) => new Gauge({ ...options, registers }));
  return {
    withMetricsPage: (handle) => async (request, address) =>
      isMetricsRequest(request)
        ? metricsResponse(request, register, clock.now())
        : handle(request, address),
    withRequestMetrics: (handle) => async (request, address) => {
      if (isMetricsRequest(request)) return handle(request, address);
      const start = clock.now();
      const method = labeledMethods.includes(request.method) ? request.method : 'other';
      const operation = findOperationId(request) ?? 'other';
      let status = 'reset';
      try {
        const response = await handle(request, address);
        status = String(response.status);
        if (response.status >= 400) refusals.inc({ code: errorCodeOf(response) });
        return response;
      } finally {
        requests.inc({ method, operation, status });
        durations.observe({ method, operation }, Math.max(0, clock.now() - start) / 1000);
      }
    },
    countBan: () => bans.inc(),
  };
}

/** In seconds: from what SQLite takes to what a client gives up after. */
const durationBucketsSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What else may stand in a request line would make as many series as there are methods. */
const labeledMethods = ['GET', 'HEAD', 'POST'];

async function loadPromClient() {
  try {
    return await import('prom-client');
  } catch (error) {
    throw new MissingPackage('prom-client', error);
  }
}

function addPoolGauges(
  pool: NonNullable<Database['poolStats']>,
  gauge: (options: { name: string; help: string; collect(this: Gauge): void }) => Gauge,
): void {
  const states = {
    size: 'Connections to the database.',
    idle: 'Connections to the database that nobody uses.',
    waiting: 'Statements that wait for a connection to the database.',
  };
  for (const state of ['size', 'idle', 'waiting'] as const) {
    gauge({
      name: `petstore_database_pool_${state}`,
      help: states[state],
      collect() {
        this.set(pool()[state]);
      },
    });
  }
}

function isMetricsRequest({ target }: HttpRequest): boolean {
  return target.split('?')[0] === '/metrics';
}

async function metricsResponse(
  { method }: HttpRequest,
  register: Registry,
  now: number,
): Promise<HttpResponse> {
  if (method !== 'GET' && method !== 'HEAD') {
    return withQuotaHeaders(
      { method },
      errorResponse(methodNotAllowed(['GET'])),
      unknownQuota(now),
    );
  }
  const body = new TextEncoder().encode(await register.metrics());
  return {
    status: 200,
    headers: { 'content-type': register.contentType, 'content-length': String(body.length) },
    body: method === 'HEAD' ? new Uint8Array() : body,
  };
}

/** The code of the Error body; HEAD gets none, and most statuses have one code. */
function errorCodeOf({ status, body }: HttpResponse): string {
  if (body.length > 0) return (parseJson(body) as ErrorBody).code;
  return codeOfStatus(status) ?? 'fault';
}
