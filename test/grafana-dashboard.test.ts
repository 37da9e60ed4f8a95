import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openMetrics } from '../src/server/metrics.js';
import { Rejection, uncountedResponse } from '../src/server/responses.js';
import { fakeClock } from './support/clock.js';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}

interface Dashboard {
  readonly title: string;
  readonly uid: string;
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly { name: string; type: string; query: unknown; definition?: string }[];
  };
  readonly panels: readonly Panel[];
}

const dashboard = JSON.parse(readFileSync('docs/deploy/grafana-dashboard.json', 'utf8')) as Dashboard;
const { panels, templating } = dashboard;
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const queries = [...expressions, ...templating.list.flatMap(({ definition }) => definition ?? [])];

test('has panels with targets, and a variable for the data source', () => {
  expect(dashboard).toMatchObject({ title: 'petstore', uid: 'petstore-server', schemaVersion: expect.any(Number) });
  expect(templating.list).toContainEqual(
    expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
  );
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, targets, datasource, gridPos } of panels) {
    expect(title).not.toBe('');
    expect(targets.length, title).toBeGreaterThan(0);
    expect(datasource).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' });
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
  }
});

test('uses only variables that exist', () => {
  const known = ['__rate_interval', ...templating.list.map(({ name }) => name)];
  const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name);
  expect([...new Set(used)].filter((name) => !known.includes(String(name)) && name !== '__all')).toEqual([]);
});

test('uses only metrics and labels that the server has', async () => {
  const { names, labels } = await readMetrics();
  const used = queries.flatMap((query) => query.match(/\b(petstore|nodejs|process)_\w+/g) ?? []);
  expect([...new Set(used)].filter((name) => !names.has(name))).toEqual([]);
  const selected = queries.flatMap((query) => [...query.matchAll(/(\w+)=~?"/g)].map(([, label]) => String(label)));
  const grouped = queries.flatMap((query) =>
    [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
  );
  // Prometheus adds job and instance.
  const known = [...labels, 'job', 'instance'];
  expect([...new Set([...selected, ...grouped])].filter((label) => !known.includes(label))).toEqual([]);
});

test('shows every metric of petstore', async () => {
  const { names } = await readMetrics();
  const own = [...names].filter((name) => /^petstore_/.test(name) && !/_(sum|count)$/.test(name));
  const text = queries.join('\n');
  expect(own.filter((name) => !text.includes(name))).toEqual([]);
});

/** Returns the names of all series and their labels, after some requests to a server with PostgreSQL. */
async function readMetrics() {
  const clock = fakeClock();
  const metrics = await openMetrics(clock, () => ({ size: 4, idle: 3, waiting: 0 }));
  const request = { method: 'GET', origin: 'http://127.0.0.1', target: '/v1/pets', headers: {} };
  const unauthorized = uncountedResponse(request, new Rejection('unauthorized', 'no API key'));
  await metrics.withRequestMetrics(async () => unauthorized, { hasPage: false })(request, '127.0.0.1');
  metrics.countWireRejection('invalid_request');
  const page = await metrics.withMetricsPage(async () => unauthorized)({ ...request, target: '/metrics' }, '127.0.0.1');
  const lines = new TextDecoder().decode(page.body).split('\n');
  const series = lines.filter((line) => /^[a-z]/.test(line));
  return {
    names: new Set(series.map((line) => line.split(/[{ ]/, 1)[0] ?? '')),
    labels: new Set(series.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => String(label)))),
  };
}
