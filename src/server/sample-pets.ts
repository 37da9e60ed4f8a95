import { petStatuses } from '../api/pet.js';
import { insertPetStatement } from './pets.js';
import type { Statement } from './sql.js';

/** The animals of a new database: ids from 1, in every category and with every status. */
export function samplePetStatements(): readonly Statement[] {
  return names.map((name, index) =>
    insertPetStatement({
      name,
      categoryId: String((index % 6) + 1),
      status: petStatuses[
        pattern[index % pattern.length] as number
      ] as (typeof petStatuses)[number],
    }),
  );
}

/** Half of them available, the rest pending or sold. */
const pattern = [0, 0, 1, 0, 2, 0, 2, 1];

const names = `
  Ada Archie Asta Balu Bamboo Basil Bella Biscuit Bonnie Bruno Caramel Charlie Chaplin Cleo Clover Coco
  Cosmo Daisy Dexter Dolly Ella Emil Felix Fern Figaro Fiona Freya Ginger Gizmo Gus Hazel Henry
  Hugo Iris Ivy Jasper Juno Kiki Kira Lola Loki Luna Maple Merlin Mia Milo Minnie Moritz
  Nala Nemo Nori Olive Oscar Otto Pepper Pip Poppy Quinn Rex Rocky Rosie Ruby Saffron Sam
  Simba Sky Sunny Tilly Toffee Willow Zazu Zoe
`
  .trim()
  .split(/\s+/);
