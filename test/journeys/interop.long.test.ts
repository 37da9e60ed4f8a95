import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/petstore.js';
import { installPeer } from '../support/programs.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

const root = join(import.meta.dirname, '../..');

/** Results of the calls. */
const expectedCalls = {
  list: ['Ada', 'Archie'],
  add: { id: 73, name: 'Rex', categoryId: 1 },
  get: { id: 73, name: 'Rex', categoryId: 1 },
  orders: [],
  missing: 'not_found',
  invalid: 'invalid_request',
  unauthorized: 'unauthorized',
};

test('a client that is generated from the API spec of a server lists, adds and gets pets (hey-api)', async (context) => {
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

test('a tool that tests servers against an API spec finds no difference (dredd)', async (context) => {
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
