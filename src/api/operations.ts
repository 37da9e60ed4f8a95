import type { Hint } from '../failure.js';
import { type NewPet, newPetFields, type PetField, type PetRecord, type PetStatus, petFields } from './pet.js';

/** The content of a response: a list or a record with known fields, or any JSON. */
type ResponseShape =
  | { readonly kind: 'list' | 'record'; readonly fields: readonly PetField[] }
  | { readonly kind: 'any' };

/**
 * One operation of the API spec (section 4), for client and server. The members of the input fill the `{names}` of the
 * path, the query and the body by name.
 */
export interface Operation<Input = unknown, Output = unknown> {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Follows `versionSegment`. */
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: readonly PetField[];
  readonly successStatus: 200 | 201;
  readonly response: ResponseShape;
  /** Missing if the operation changes nothing, so that it may be retried. */
  readonly mutation?: Mutation;
  readonly experimental?: true;
  readonly deprecated?: Deprecation;
  /** Never set. Holds the types of input and output. */
  readonly types?: (input: Input) => Output;
}

/** What an operation changes, for messages about an unknown outcome. */
export interface Mutation {
  /** Forms a clause with `participle`: `the pet was added`. */
  readonly object: string;
  readonly participle: string;
  /** Returns the hint after an unknown outcome. `flags` select the service. */
  readonly checkHint: (flags: readonly string[]) => Hint;
}

interface Deprecation {
  /** Milliseconds since the Unix epoch. */
  readonly deprecatedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly removalAt: number;
  /** The date of `removalAt` for messages. */
  readonly removalDate: string;
}

export const versionSegment = '/v1';

export const listPets: Operation<{ limit?: number | undefined; status?: PetStatus | undefined }, readonly PetRecord[]> =
  {
    id: 'listPets',
    method: 'GET',
    path: '/pets',
    query: ['limit', 'status'],
    successStatus: 200,
    response: { kind: 'list', fields: petFields },
  };

export const createPet: Operation<NewPet, PetRecord> = {
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  query: [],
  body: newPetFields,
  successStatus: 201,
  response: { kind: 'record', fields: petFields },
  mutation: {
    object: 'the pet',
    participle: 'added',
    checkHint: (flags) => [
      'run ',
      { words: ['pets', 'list', '--all', ...flags], isNext: true },
      ' to look for the pet before you add it again',
    ],
  },
};

/** The API spec names the removal (4.3), but not the start of the deprecation. */
export const getPetDeprecation: Deprecation = {
  deprecatedAt: Date.UTC(2026, 0, 1),
  removalAt: Date.UTC(2030, 11, 5),
  removalDate: '5 December 2030',
};

export const getPet: Operation<{ petId: string }, PetRecord> = {
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  query: [],
  successStatus: 200,
  response: { kind: 'record', fields: petFields },
  deprecated: getPetDeprecation,
};

/** The API spec lists it without parameters or payload (4.4). */
export const listOrders: Operation<Record<never, never>, unknown> = {
  id: 'listOrders',
  method: 'GET',
  path: '/store/orders',
  query: [],
  successStatus: 200,
  response: { kind: 'any' },
  experimental: true,
};

export const operations: readonly Operation<never, unknown>[] = [listPets, createPet, getPet, listOrders];
