import { Failure, installOptionalHint } from '../failure.js';
import type { RequestLogEntry } from './format-log-line.js';
import type { Respond } from './request-context.js';
import { methodNotAllowed, Rejection } from './responses.js';

/** Creates a registry for one server; fails (system) if prom-client is not installed. */
export async function openMetrics() {
  const client = await loadPromClient();
  const register = new client.Registry();
  const registers = [register];
  client.collectDefaultMetrics({ register });
  const requests = new client.Counter({
    name: 'petstore_requests_total',
    help: 'Requests by method, operation and status. Without a response, the status is "reset" or "aborted".',
    labelNames: ['method', 'operation', 'status'],
    registers,
  });
  const durations = new client.Histogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from a complete request to its response.',
    labelNames: ['method', 'operation'],
    buckets: durationBucketsSeconds,
    registers,
  });
  const rejections = new client.Counter({
    name: 'petstore_refusals_total',
    help: 'Responses with an Error body, by error code.',
    labelNames: ['code'],
    registers,
  });
  return {
    /** Responds to requests to the port for metrics. */
    respond: (async ({ path, method }) => {
      if (path !== '/metrics') throw new Rejection('not_found', 'this port serves only GET /metrics');
      if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET']);
      const body = new TextEncoder().encode(await register.metrics());
      return { status: 200, headers: { 'content-type': register.contentType }, body };
    }) satisfies Respond,
    /** Counts and times a request. */
    observe: ({ method: given = '', operation = 'other', status, durationMs, errorCode: code }: RequestLogEntry) => {
      const method = labeledMethods.includes(given) ? given : 'other';
      requests.inc({ method, operation, status: String(status) });
      durations.observe({ method, operation }, durationMs / 1000);
      if (code !== undefined) rejections.inc({ code });
    },
  };
}

export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

/** From the latency of SQLite to typical client timeouts. */
const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Others share one label: clients could create an unbounded number of time series. */
const labeledMethods = ['GET', 'HEAD', 'POST'];

function loadPromClient() {
  return import('prom-client').catch((cause: unknown) => {
    throw new Failure('system', {
      code: 'missing_package',
      message: 'the optional package prom-client is not installed',
      hint: `${installOptionalHint}, or remove --metrics-port`,
      cause,
    });
  });
}
