import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.js';
import { type CannedResponse, startCannedServer } from './http-server.js';
import type { Run, RunOptions } from './petstore.js';
import type { TestCli } from './test-cli.js';

/** Writes an input into the home of a user; resolves to its path. */
export function writeInput({ home }: { readonly home: string }, name: string, content: string | Uint8Array): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

/** CSV of so many pets. */
export function csvOf(rows: number, name = 'Pet'): string {
  const lines = Array.from({ length: rows }, (_, index) => `${name} ${index + 1},7\n`);
  return `name,categoryId\n${lines.join('')}`;
}

/** A pet as a machine format shows it. */
export interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

/** The pets that the sandbox of this user holds beside the samples. */
export async function addedPets(cli: TestCli, options?: RunOptions): Promise<readonly Pet[]> {
  await cli.run(['sandbox', 'plan', 'enterprise']);
  const { stdout } = await cli.run(['pets', 'list', '--all', '--json'], options);
  return (JSON.parse(stdout) as Pet[]).filter(({ id }) => id > 72);
}

/**
 * Starts a service that chooses its response to each new pet by the pet's name and the number of earlier requests for it:
 * an import sends several rows at once, so that their order is unknown.
 */
export function startPetService(respondTo: (name: string, earlierRequests: number) => CannedResponse) {
  const names: string[] = [];
  return startCannedServer(({ body }) => {
    const { name } = JSON.parse(body) as Pet;
    names.push(name);
    return respondTo(name, names.filter((each) => each === name).length - 1);
  });
}

/** The summary on stdout of an import in a machine format. */
export function summaryOf({ stdout }: Run): Readonly<Record<string, unknown>> {
  return JSON.parse(stdout);
}

/** The journals in the state directory of a user. */
export function journalsOf({ home }: { readonly home: string }): readonly string[] {
  const directory = join(home, '.local/state/petstore/imports');
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory);
  return names.filter((name) => name.endsWith('.journal')).map((name) => join(directory, name));
}

/** Returns the text of a file. */
export function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Waits until something holds. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await systemClock.sleep(5);
}
