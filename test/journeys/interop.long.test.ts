import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/petstore.js';
import { installPeer } from '../support/programs.js';
import { startServeProcess } from '../support/serve-process.js';

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
  const { baseUrl, apiKey } = await startServeProcess();
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
