/** Thrown where an optional package is asked for and is not installed. */
export class MissingPackage extends Error {
  override readonly name = 'MissingPackage';

  constructor(name: string, cause: unknown) {
    super(`the package ${name} is missing`, { cause });
  }
}
