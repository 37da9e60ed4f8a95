import {
  type Field,
  type NewPet,
  newPetFields,
  type PetRecord,
  type PetStatus,
  petFields,
} from './pet.js';

/** What an answer holds: a list or one record of known fields, or whatever the service sends. */
type Answer =
  | { readonly kind: 'list' | 'record'; readonly fields: readonly Field[] }
  | { readonly kind: 'any' };

/**
 * One operation of the interface (section 4) as a value, shared by client, service and description.
 * The input's members fill the path's `{names}`, the query and the body by name.
 */
export interface Operation<Input = unknown, Output = unknown> {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Below the version segment of the base address. */
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: readonly Field[];
  readonly success: 200 | 201;
  readonly answer: Answer;
  /** What it changes; without it nothing, so that it may be sent again. */
  readonly change?: Change;
  readonly experimental?: true;
  readonly deprecated?: Deprecation;
  /** Never there: carries the types of what goes in and what comes out. */
  readonly types?: (input: Input) => Output;
}

/** What an operation changes, in words for when its outcome is not known. */
export interface Change {
  /** Completes "the" and "was": `the pet was added`. */
  readonly what: string;
  readonly done: string;
  /** How a person finds out whether it happened; `flags`, with a space before each, lead a command to the same store. */
  readonly check: (flags: string) => string;
}

interface Deprecation {
  /** When it was marked deprecated, in milliseconds since the Unix epoch; our choice. */
  readonly since: number;
  /** When it is removed, in milliseconds since the Unix epoch. */
  readonly removal: number;
  /** The same for people. */
  readonly removalDate: string;
}

export const versionSegment = '/v1';

export const listPets: Operation<{ limit?: number; status?: PetStatus }, readonly PetRecord[]> = {
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  query: ['limit', 'status'],
  success: 200,
  answer: { kind: 'list', fields: petFields },
};

export const createPet: Operation<NewPet, PetRecord> = {
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  query: [],
  body: newPetFields,
  success: 201,
  answer: { kind: 'record', fields: petFields },
  change: {
    what: 'the pet',
    done: 'added',
    check: (flags) =>
      `petstore pets list --all${flags} shows whether it is there; adding it again may add it twice`,
  },
};

/** When `getPet` goes (interface, 4.3); since when it is deprecated is our choice. */
export const getPetDeprecation: Deprecation = {
  since: Date.UTC(2026, 0, 1),
  removal: Date.UTC(2030, 11, 5),
  removalDate: '5 December 2030',
};

/** Deprecated: removed on 5 December 2030, replaced by the list with a status filter (4.3). */
export const getPet: Operation<{ petId: string }, PetRecord> = {
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  query: [],
  success: 200,
  answer: { kind: 'record', fields: petFields },
  deprecated: getPetDeprecation,
};

/** Mentioned by the interface without parameters or payload (4.4). */
export const listOrders: Operation<Record<never, never>, unknown> = {
  id: 'listOrders',
  method: 'GET',
  path: '/store/orders',
  query: [],
  success: 200,
  answer: { kind: 'any' },
  experimental: true,
};

export const operations: readonly Operation<never, unknown>[] = [
  listPets,
  createPet,
  getPet,
  listOrders,
];
