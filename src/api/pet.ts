/** The interface's PetStatus (section 2). */
export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** What a field holds: 64-bit whole numbers travel as digits, never as a JavaScript number. */
export interface Field {
  readonly name: string;
  readonly type: 'string' | 'int64' | 'status';
  readonly required: boolean;
}

/** The fields of NewPet, the body of a creation (interface, section 2). */
export const newPetFields: readonly Field[] = [
  { name: 'name', type: 'string', required: true },
  { name: 'categoryId', type: 'int64', required: true },
  { name: 'status', type: 'status', required: false },
];

/** The fields of Pet, an animal's record (interface, section 2). */
export const petFields: readonly Field[] = [
  { name: 'id', type: 'int64', required: true },
  ...newPetFields,
];

export interface NewPet {
  readonly name: string;
  /** A 64-bit whole number in decimal digits. */
  readonly categoryId: string;
  readonly status?: PetStatus;
}

/** A pet as a service sent it: the interface's fields, and any others, with their exact values. */
export type PetRecord = Readonly<Record<string, unknown>>;

/** How many pets one list request may ask for (interface, 4.1 and 8.3). */
export const listLimit = { minimum: 1, maximum: 100, default: 20 } as const;

export function isPetStatus(value: unknown): value is PetStatus {
  return petStatuses.includes(value as PetStatus);
}

/** True for the decimal digits of a 64-bit signed whole number, in the one way JSON writes it. */
export function isInt64(text: string): boolean {
  if (!/^(0|-?[1-9][0-9]{0,18})$/.test(text)) return false;
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** True for the digits of an id: a 64-bit whole number that is not negative. */
export function isPetId(text: string): boolean {
  return isInt64(text) && !text.startsWith('-');
}

/** True for a name without a single visible character. */
export function isBlank(name: string): boolean {
  return !/[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(name);
}
