import type { PetStatus } from '../api/pet.js';
import { insertPetStatement } from './pets.js';
import type { Statement } from './sql.js';

/** Returns the statements that add the sample pets of a new database: every category, every status. */
export function samplePetStatements(): readonly Statement[] {
  return sampleNames.map((name, index) =>
    insertPetStatement({
      name,
      categoryId: String((index % sampleCategoryCount) + 1),
      status: sampleStatuses[index % sampleStatuses.length] as PetStatus,
    }),
  );
}

export const sampleCategoryCount = 6;

/** Half of the pets are available. */
export const sampleStatuses = 'available available pending available sold available sold pending'.split(' ');

export const sampleNames = `
  Ada Archie Asta Balu Bamboo Basil Bella Biscuit Bonnie Bruno Caramel Charlie Chaplin Cleo Clover Coco
  Cosmo Daisy Dexter Dolly Ella Emil Felix Fern Figaro Fiona Freya Ginger Gizmo Gus Hazel Henry
  Hugo Iris Ivy Jasper Juno Kiki Kira Lola Loki Luna Maple Merlin Mia Milo Minnie Moritz
  Nala Nemo Nori Olive Oscar Otto Pepper Pip Poppy Quinn Rex Rocky Rosie Ruby Saffron Sam
  Simba Sky Sunny Tilly Toffee Willow Zazu Zoe
`
  .trim()
  .split(/\s+/);
