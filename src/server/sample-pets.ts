import type { NewPet, PetStatus } from '../api/pet.js';
import { insertPetStatement } from './pets.js';
import type { Statement } from './sql.js';

/**
 * Returns the statements that add sample pets, the same ones each time. The first 72 are those of a new database: every
 * category, every status, half of them available.
 */
export function samplePetStatements(count = samplePetCount): readonly Statement[] {
  return Array.from({ length: count }, (_, index) => {
    const round = Math.floor(index / samplePetCount);
    return insertPetStatement(samplePet(names[index % samplePetCount] as string, (index % samplePetCount) + round));
  });
}

/** Returns a pet whose category and status depend on its place. In each round, the names have other ones. */
function samplePet(name: string, place: number): NewPet {
  return {
    name,
    categoryId: String((place % categoryCount) + 1),
    status: statuses[place % statuses.length] as PetStatus,
  };
}

const categoryCount = 6;

const statuses = 'available available pending available sold available sold pending'.split(' ');

const names = `
  Ada Archie Asta Balu Bamboo Basil Bella Biscuit Bonnie Bruno Caramel Charlie Chaplin Cleo Clover Coco
  Cosmo Daisy Dexter Dolly Ella Emil Felix Fern Figaro Fiona Freya Ginger Gizmo Gus Hazel Henry
  Hugo Iris Ivy Jasper Juno Kiki Kira Lola Loki Luna Maple Merlin Mia Milo Minnie Moritz
  Nala Nemo Nori Olive Oscar Otto Pepper Pip Poppy Quinn Rex Rocky Rosie Ruby Saffron Sam
  Simba Sky Sunny Tilly Toffee Willow Zazu Zoe
`
  .trim()
  .split(/\s+/);

export const samplePetCount = names.length;
