/** The PetStatus of the API spec (section 2). */
export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** A field of a pet. An `int64` is a string of digits, never a JavaScript number. */
export interface PetField {
  readonly name: string;
  readonly type: 'string' | 'int64' | 'status';
  readonly required: boolean;
}

/** The fields of NewPet in the API spec (section 2). */
export const newPetFields: readonly PetField[] = [
  { name: 'name', type: 'string', required: true },
  { name: 'categoryId', type: 'int64', required: true },
  { name: 'status', type: 'status', required: false },
];

/** The fields of Pet in the API spec (section 2). */
export const petFields: readonly PetField[] = [{ name: 'id', type: 'int64', required: true }, ...newPetFields];

export interface NewPet {
  readonly name: string;
  /** A 64-bit integer in decimal digits. */
  readonly categoryId: string;
  readonly status?: PetStatus;
}

/** A pet as the service sent it, unknown fields included. */
export type PetRecord = Readonly<Record<string, unknown>>;

/** The number of pets in one list request (API spec, 4.1 and 8.3). */
export const listLimit = { minimum: 1, maximum: 100, default: 20 } as const;

export function isPetStatus(value: unknown): value is PetStatus {
  return petStatuses.includes(value as PetStatus);
}

/** Returns true for the canonical decimal digits of a signed 64-bit integer. */
export function isInt64(text: string): boolean {
  if (!/^(0|-?[1-9][0-9]{0,18})$/.test(text)) return false;
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** Returns true for the canonical decimal digits of a 64-bit integer that is not negative. */
export function isPetId(text: string): boolean {
  return isInt64(text) && !text.startsWith('-');
}

/** Returns true for a name that consists of Unicode's White_Space, which differs from `\s`. */
export function isBlankName(name: string): boolean {
  return !/\P{White_Space}/u.test(name);
}
