import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/http-server.js';
import { temporaryDirectory } from '../support/petstore.js';
import { installPeer, type Peer } from '../support/programs.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

const root = join(import.meta.dirname, '../..');

/** Results of the same calls with each client. */
const expectedCalls = {
  list: ['Ada', 'Archie'],
  add: { id: 73, name: 'Rex', categoryId: 1 },
  get: { id: 73, name: 'Rex', categoryId: 1 },
  orders: [],
  missing: 'not_found',
  invalid: 'invalid_request',
  unauthorized: 'unauthorized',
};

describe('a client that is generated from the API spec of a server lists, adds and gets pets', () => {
  test('with hey-api', async (context) => {
    const peer = await installPeer('heyApi', context);
    const { baseUrl, apiKey } = await startServer();
    const folder = temporaryDirectory();
    const args = ['--input', `${baseUrl}/openapi.json`, '--output', 'client', '--client', '@hey-api/client-fetch'];
    await execa(peer.bin('openapi-ts'), args, { cwd: folder });
    const code = `
      import { createPet, getPet, listOrders, listPets } from './client';
      import { client } from './client/client.gen';

      client.setConfig({ baseUrl: ${text(baseUrl)}, auth: ${text(apiKey)} });
      const list = await listPets({ query: { limit: 2, status: 'available' } });
      const add = await createPet({ body: { name: 'Rex', categoryId: 1 } });
      const get = await getPet({ path: { petId: add.data?.id ?? 0 } });
      const orders = await listOrders();
      const missing = await getPet({ path: { petId: 999_999 } });
      const invalid = await listPets({ query: { limit: 0 } });
      const unauthorized = await listPets({ auth: 'pets_unknown' });
      console.log(JSON.stringify({
        list: list.data?.map(({ name }: { name: string }) => name),
        add: add.data, get: get.data, orders: orders.data,
        missing: missing.error?.code, invalid: invalid.error?.code, unauthorized: unauthorized.error?.code,
      }));`;
    expect(await runTypeScript(folder, code)).toEqual(expectedCalls);
  });

  test('with openapi-fetch', async (context) => {
    const peer = await installPeer('openapiFetch', context);
    const { baseUrl, apiKey } = await startServer();
    const folder = temporaryDirectory();
    symlinkSync(join(peer.folder, 'node_modules'), join(folder, 'node_modules'));
    await execa(peer.bin('openapi-typescript'), [`${baseUrl}/openapi.json`, '--output', 'schema.ts'], { cwd: folder });
    const code = `
      import createClient from 'openapi-fetch';
      import type { paths } from './schema';

      const open = (key: string) =>
        createClient<paths>({ baseUrl: ${text(baseUrl)}, headers: { authorization: \`Bearer \${key}\` } });
      const client = open(${text(apiKey)});
      const list = await client.GET('/pets', { params: { query: { limit: 2, status: 'available' } } });
      const add = await client.POST('/pets', { body: { name: 'Rex', categoryId: 1 } });
      const get = await client.GET('/pets/{petId}', { params: { path: { petId: add.data?.id ?? 0 } } });
      const orders = await client.GET('/store/orders');
      const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 999_999 } } });
      const invalid = await client.GET('/pets', { params: { query: { limit: 0 } } });
      const unauthorized = await open('pets_unknown').GET('/pets');
      console.log(JSON.stringify({
        list: list.data?.map(({ name }) => name),
        add: add.data, get: get.data, orders: orders.data,
        missing: missing.error?.code, invalid: invalid.error?.code, unauthorized: unauthorized.error?.code,
      }));`;
    expect(await runTypeScript(folder, code)).toEqual(expectedCalls);
  });

  test('with swagger-client, which sends the key only to the server of the document', async (context) => {
    const peer = await installPeer('swaggerClient', context);
    const { baseUrl, apiKey } = await startServer();
    const code = `
      const SwaggerClient = require('swagger-client');
      (async () => {
        const urls = [];
        const open = (value) => SwaggerClient({
          url: ${text(`${baseUrl}/openapi.json`)},
          authorizations: { apiKey: { value } },
          requestInterceptor: (request) => { urls.push(request.url); return request; },
        });
        const { apis: { pets, store } } = await open(${text(apiKey)});
        const { apis: strangers } = await open('pets_unknown');
        const codeOf = (call) => call.then(() => undefined, ({ response }) => response.body.code);
        const list = await pets.listPets({ limit: 2, status: 'available' });
        const add = await pets.createPet({}, { requestBody: { name: 'Rex', categoryId: 1 } });
        const get = await pets.getPet({ petId: add.body.id });
        const orders = await store.listOrders();
        console.log(JSON.stringify({
          list: list.body.map(({ name }) => name), add: add.body, get: get.body, orders: orders.body,
          missing: await codeOf(pets.getPet({ petId: 999999 })),
          invalid: await codeOf(pets.listPets({ limit: 0 })),
          unauthorized: await codeOf(strangers.pets.listPets()),
          origins: [...new Set(urls.map((url) => new URL(url).origin))],
        }));
      })();`;
    const { stdout } = await execa(process.execPath, ['-e', code], { cwd: peer.folder });
    expect(JSON.parse(stdout)).toEqual({ ...expectedCalls, origins: [new URL(baseUrl).origin] });
  });
});

describe('Prism as a proxy', () => {
  test('finds no violation in the responses of the server', async (context) => {
    const peer = await installPeer('prism', context);
    const server = await startServer();
    const proxyUrl = await startPrismProxy(peer, server);
    const send = async (path: string, { key = server.apiKey, body }: { key?: string; body?: string } = {}) => {
      const response = await fetch(`${proxyUrl}${path}`, {
        ...(body !== undefined && { method: 'POST', body }),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]') as { location: string[] }[];
      const places = [...new Set(violations.map(({ location }) => location[0]))];
      const json = (await response.json()) as { code?: string };
      return { status: response.status, result: json.code ?? json, places, headers: response.headers };
    };
    const list = await send('/pets?limit=2&status=available');
    expect(list).toMatchObject({ status: 200, result: [{ name: 'Ada' }, { name: 'Archie' }], places: [] });
    const [, next] = /<\/v1([^>]+)>; rel="next"/.exec(list.headers.get('link') ?? '') ?? [];
    expect(await send(String(next))).toMatchObject({ status: 200, places: [] });
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    expect(await send('/pets', { body })).toMatchObject({ status: 201, result: expectedCalls.add, places: [] });
    expect(await send('/pets/73')).toMatchObject({ status: 200, result: expectedCalls.get, places: [] });
    expect(await send('/store/orders')).toMatchObject({ status: 200, result: [], places: [] });
    expect(await send('/pets/999999')).toMatchObject({ status: 404, result: 'not_found', places: [] });
    expect(await send('/pets', { key: 'pets_unknown' })).toMatchObject({
      status: 401,
      result: 'unauthorized',
      places: [],
    });
    // Prism reports the request here, and nothing about the response. A blank name would crash Prism: it writes the
    // pattern, with characters beyond Latin-1, into a header.
    const incomplete = JSON.stringify({ name: 'Rex' });
    const invalid = { status: 400, result: 'invalid_request', places: ['request'] };
    expect(await send('/pets?limit=0')).toMatchObject(invalid);
    expect(await send('/pets/-1')).toMatchObject(invalid);
    expect(await send('/pets', { body: incomplete })).toMatchObject(invalid);
  });
});

describe('a tool that tests servers against an API spec', () => {
  test('finds no difference (portman and newman)', async (context) => {
    const peer = await installPeer('portman', context);
    const { baseUrl, apiKey } = await startServer();
    const folder = await saveSpec(baseUrl);
    const config = { version: 1, globals: { securityOverwrites: { bearer: { token: apiKey } } }, tests: portmanTests };
    writeFileSync(join(folder, 'portman.json'), JSON.stringify(config));
    const args = ['--local', 'openapi.json', '--baseUrl', baseUrl, '--portmanConfigFile', 'portman.json'];
    await execa(peer.bin('portman'), [...args, '--output', 'collection.json'], { cwd: folder });
    const flags = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
    await execa(peer.bin('newman'), ['run', 'collection.json', ...flags], { cwd: folder, reject: false });
    const { run } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    expect(run.failures).toEqual([]);
    const calls = run.executions.map((each: NewmanExecution) => [each.item.name, each.response.code]);
    expect(calls).toEqual([
      ['List pets', 200],
      ['Add a pet', 201],
      ['Get a pet', 200],
      ['List store orders', 200],
      ['Get a pet[missing pet]', 404],
      ['List pets[unknown API key]', 401],
      ['List pets[limit of zero]', 400],
      ['Add a pet[blank name]', 400],
    ]);
    expect(run.stats.assertions).toEqual({ total: 49, pending: 0, failed: 0 });
  });

  test('finds no difference (dredd)', async (context) => {
    const peer = await installPeer('dredd', context);
    const { baseUrl, apiKey } = await startServer();
    const folder = await saveSpec(baseUrl);
    writeFileSync(join(folder, 'hooks.cjs'), dreddHooks);
    const args = ['openapi.json', baseUrl, '--hookfiles=hooks.cjs', '--language=nodejs', '--loglevel=error'];
    const { stdout, exitCode } = await execa(peer.bin('dredd'), args, {
      cwd: folder,
      env: { API_KEY: apiKey },
      reject: false,
    });
    const lines = stripVTControlCharacters(stdout).split('\n');
    const results = lines.flatMap((line) => /^(pass|fail): (\w+ \(\d+\) \S+)/.exec(line)?.slice(1, 3).join(' ') ?? []);
    expect(results).toEqual([
      'pass GET (200) /pets?limit=2&status=available&cursor=MQ',
      'pass GET (400) /pets?limit=2&status=available&cursor=MQ',
      'pass GET (401) /pets?limit=2&status=available&cursor=MQ',
      'pass POST (201) /pets',
      'pass POST (400) /pets',
      'pass POST (401) /pets',
      'pass POST (413) /pets',
      'pass POST (415) /pets',
      'pass POST (422) /pets',
      'pass GET (200) /pets/1',
      'pass GET (400) /pets/1',
      'pass GET (401) /pets/1',
      'pass GET (404) /pets/1',
      'pass GET (200) /store/orders',
      'pass GET (401) /store/orders',
    ]);
    expect(exitCode).toBe(0);
  });
});

interface NewmanExecution {
  readonly item: { readonly name: string };
  readonly response: { readonly code: number };
}

const portmanErrorTests = { schemaValidation: { enabled: true }, headersPresent: { enabled: true } };

const portmanTests = {
  contractTests: [
    {
      openApiOperation: '*::/*',
      statusSuccess: { enabled: true },
      contentType: { enabled: true },
      jsonBody: { enabled: true },
      ...portmanErrorTests,
    },
  ],
  variationTests: [
    portmanVariation('getPet', 404, 'missing pet', {
      overwriteRequestPathVariables: [{ key: 'petId', value: '999999', overwrite: true }],
    }),
    portmanVariation('listPets', 401, 'unknown API key', {
      overwriteRequestSecurity: { bearer: { token: 'pets_unknown' } },
    }),
    portmanVariation('listPets', 400, 'limit of zero', {
      overwriteRequestQueryParams: [{ key: 'limit', value: '0', overwrite: true, disable: false }],
    }),
    portmanVariation('createPet', 400, 'blank name', {
      overwriteRequestBody: [{ key: 'name', value: ' ', overwrite: true }],
    }),
  ],
};

/** Returns a test of an error response to a changed request. */
function portmanVariation(openApiOperationId: string, status: number, name: string, overwrite: object) {
  const tests = { contractTests: [{ statusCode: { enabled: true, code: status }, ...portmanErrorTests }] };
  return {
    openApiOperationId,
    openApiResponse: String(status),
    variations: [{ name, overwrites: [overwrite], tests }],
  };
}

/** Adds the API key, and causes the expected errors. */
const dreddHooks = `
const hooks = require('hooks');

const causes = {
  'List pets 400': ({ fullPath }) => ({ fullPath: fullPath.replace('limit=2', 'limit=0') }),
  'Get a pet 400': ({ fullPath }) => ({ fullPath: fullPath.replace('/1', '/x') }),
  'Get a pet 404': ({ fullPath }) => ({ fullPath: fullPath.replace('/1', '/999999') }),
  'Add a pet 400': () => ({ body: '{}' }),
  'Add a pet 413': () => ({ body: '{}'.padEnd(70_000) }),
  'Add a pet 415': () => ({ type: 'text/plain' }),
  // The key of the example was used for the 201.
  'Add a pet 422': () => ({ body: '{"name":"Bo","categoryId":1}' }),
};

hooks.beforeEach((transaction, done) => {
  const { request, expected, name } = transaction;
  const status = Number(expected.statusCode);
  // Dredd expects 200 from the response named default. The others need time or a failure.
  const isDefault = status === 200 && expected.body.includes('"code"');
  transaction.skip = isDefault || [409, 410, 429, 500, 503].includes(status);
  // Dredd knows no optional headers.
  delete expected.headers['Idempotency-Replayed'];
  request.headers.Authorization = \`Bearer \${status === 401 ? 'pets_unknown' : process.env.API_KEY}\`;
  const cause = causes[\`\${name.split(' > ')[1]} \${status}\`]?.(transaction) ?? {};
  if (cause.fullPath) transaction.fullPath = cause.fullPath;
  if (cause.body) request.body = cause.body;
  if (cause.type) request.headers['Content-Type'] = cause.type;
  done();
});
`;

/** Starts a server with sample pets and limits that no test reaches. */
function startServer(): Promise<ServeProcess> {
  return startServeProcess('--plan', 'enterprise');
}

/** Saves the API spec of a server as openapi.json in a new folder. */
async function saveSpec(baseUrl: string): Promise<string> {
  const folder = temporaryDirectory();
  const response = await fetch(`${baseUrl}/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await response.text());
  return folder;
}

/** Starts Prism between client and server, and resolves to its base URL once it responds. */
async function startPrismProxy(peer: Peer, { baseUrl }: ServeProcess): Promise<string> {
  const port = await freePort();
  const args = ['proxy', '--port', String(port), '--verboseLevel', 'silent', join(root, 'openapi.yaml'), baseUrl];
  const child = execa(peer.bin('prism'), args, { reject: false, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (await fetch(`${url}/pets`).catch(() => undefined)) return url;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Prism does not respond');
}

/** Checks the types of a program, runs it, and returns the JSON that it prints. */
async function runTypeScript(folder: string, code: string): Promise<unknown> {
  writeFileSync(join(folder, 'program.ts'), code);
  const bin = (name: string) => join(root, 'node_modules/.bin', name);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  await execa(bin('tsc'), ['--project', '.'], { cwd: folder });
  const bundle = ['program.ts', '--format', 'esm', '--platform', 'node', '--file', 'program.mjs'];
  await execa(bin('rolldown'), bundle, { cwd: folder });
  const { stdout } = await execa(process.execPath, ['program.mjs'], { cwd: folder });
  return JSON.parse(stdout);
}

/** Returns the text as a string literal. */
function text(value: string): string {
  return JSON.stringify(value);
}
