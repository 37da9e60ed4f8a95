import type { Outcome } from '../../src/api/outcome.js';
import type { JournalDirectory } from '../../src/app/files.js';
import type { Client } from '../../src/client/client.js';
import type { Middleware } from '../../src/client/middleware.js';
import { checkInput } from '../../src/commands/pets/import/check-rows.js';
import { startJournal } from '../../src/commands/pets/import/journal.js';
import { planImport } from '../../src/commands/pets/import/plan.js';
import { type ImportTotals, sendRows } from '../../src/commands/pets/import/send-rows.js';
import { Failure } from '../../src/failure.js';

/** The end of a process at a random event. */
export class Crash extends Error {}

/** Counts events, and throws at one of them and ever after. */
export function createCrash(atEvent: number) {
  let events = 0;
  return () => {
    events += 1;
    if (events >= atEvent) throw new Crash();
  };
}

/** Journals in memory. A power cut loses a part of the events that were not synced. */
export function createMemoryStore() {
  const files = new Map<string, { text: string; synced: number }>();
  let event = () => {};
  const store: JournalDirectory = {
    list: (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
    pathOf: (name) => name,
    readLines: (path) => files.get(path)?.text.match(/[^\n]*\n|[^\n]+$/g) ?? [],
    lock: async () => ({ isHeld: () => true, release: () => {} }),
    open: async (path, size) => {
      const file = files.get(path) ?? { text: '', synced: 0 };
      file.text = file.text.slice(0, size);
      files.set(path, file);
      return {
        append: (text) => {
          event();
          file.text += text;
        },
        sync: async () => {
          const { length } = file.text;
          // A disk is slower than a request that is sent without waiting for it.
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
          event();
          file.synced = length;
        },
        close: () => {},
      };
    },
  };
  return {
    store,
    setEvent: (listener: () => void) => {
      event = listener;
    },
    /** Loses this part of the bytes that were not synced, between 0 and 1. */
    cutPower: (part: number) => {
      for (const file of files.values()) {
        file.synced = Math.min(file.synced, file.text.length);
        file.text = file.text.slice(0, file.text.length - Math.round((file.text.length - file.synced) * part));
      }
    },
    textOf: (path: string) => files.get(path)?.text,
  };
}

/** How the modeled service behaves. */
export interface ModelServiceOptions {
  readonly honorsKeys: boolean;
  /** Returns what happens to the next request. */
  readonly nextFault: () => 'none' | 'lost' | 'unsent' | 'limited' | 'rejected';
}

/** A service that adds pets, and loses requests and responses. */
export function createModelService({ honorsKeys, nextFault }: ModelServiceOptions) {
  const pets: string[] = [];
  const stored = new Set<string>();
  const createClient = (account: string, event: () => void) => {
    const send = async (body: object, key: string): Promise<Outcome> => {
      event();
      const fault = nextFault();
      if (fault === 'unsent') return { lost: { kind: 'network', code: 'ECONNREFUSED' }, sent: false, effect: 'none' };
      const respond = (status: number) => ({ status, headers: {}, body: new Uint8Array() });
      if (fault === 'limited') return { response: respond(429), sent: true, effect: 'none' };
      // A key that is stored gets its stored response.
      if (fault === 'rejected' && !stored.has(account + key))
        return { response: respond(400), sent: true, effect: 'none' };
      if (!honorsKeys || !stored.has(account + key)) pets.push(JSON.stringify(body));
      stored.add(account + key);
      event();
      if (fault === 'lost') return { lost: { kind: 'network', code: 'ECONNRESET' }, sent: true, effect: 'unknown' };
      return { response: respond(201), sent: true, effect: 'made' };
    };
    const call = async (_: unknown, pet: object, { observe, idempotencyKey }: CallOptions) => {
      const outcome = await observe(() => send(pet, idempotencyKey))({} as never, {} as never);
      const { effect, response } = outcome;
      if (response?.status === 201) return { value: { id: pets.length } };
      const kind = response?.status === 400 ? 'rejected' : effect === 'unknown' ? 'unknown-outcome' : 'network';
      const isContentError = response?.status === 400;
      throw new Failure(kind, {
        code: 'invalid_request',
        message: 'm',
        effect,
        status: response?.status,
        isContentError,
      });
    };
    const support = { basePath: '/v1', seenAt: 0, lifetimeMs: 1e12 };
    return {
      call,
      basePath: '/v1',
      sendRaw: async () => ({}),
      idempotency: { createKey: () => '', findSupport: async () => (honorsKeys ? support : undefined) },
    } as unknown as Client;
  };
  return { pets, createClient };
}

interface CallOptions {
  readonly observe: Middleware;
  readonly idempotencyKey: string;
}

/** Reads an input, as the command does. */
function parseInput(text: string) {
  const terminal = { startProgress: () => ({ stop: () => {} }), errorLine: () => {} };
  const context = { terminal, signal: new AbortController().signal } as unknown as Parameters<typeof checkInput>[1];
  return checkInput({ bytes: Buffer.from(text), format: 'csv', name: 'pets.csv' }, context);
}

/** What one run of an import did. */
export interface ModelRun {
  readonly text: string;
  readonly path: string | undefined;
  readonly account: string;
  readonly event: () => void;
  /** Called once a question stood before the import. */
  readonly onQuestion: (isReplaced: boolean) => 'go' | 'refuse';
}

/** Runs an import like the command. Returns undefined if a question stood before it that was not answered. */
export async function runModel(
  { store, setEvent }: ReturnType<typeof createMemoryStore>,
  { createClient }: ReturnType<typeof createModelService>,
  { text, path, account, event, onQuestion }: ModelRun,
): Promise<ImportTotals | undefined> {
  setEvent(event);
  const { rows, digest } = await parseInput(text);
  const identity = { service: 'service', account, path, digest };
  const plan = planImport(identity, rows, store);
  if (plan.isChanged && onQuestion(plan.missing > 0) === 'refuse') return undefined;
  const header = {
    service: 'service',
    account,
    path,
    digest,
    prefix: crypto.randomUUID(),
    at: clock++,
  };
  const lock = await store.lock(plan.journal.path);
  const file = await store.open(plan.journal.path, plan.journal.size);
  const journal = await startJournal(file, plan.journal, header, lock);
  const signal = new AbortController().signal;
  const client = createClient(account, event);
  const totals = await sendRows(rows, {
    client,
    journal,
    signal,
    now: () => clock++,
    maxWaitMs: 0,
    progress: { skipped: 0, processed: 0 },
  });
  journal.close();
  return totals;
}

let clock = 1;
