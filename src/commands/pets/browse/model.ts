import type { PetRecord } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import type { KeyPress } from '../../../terminal/full-screen.js';
import { type Action, actionOf, type Place } from './keys.js';
import {
  type Choice,
  choices,
  idOf,
  matching,
  type Page,
  type Shelves,
  shelfOf,
  sourceOf,
  withAdded,
  withPage,
} from './page-cache.js';

/** Something that one waits for, and until when. */
interface Wait {
  readonly until: number;
  /** `for the quota of sandbox` */
  readonly what: string;
}

/** All that the screen shows follows from this, its size and the time. */
export interface State extends Place {
  readonly choice: Choice;
  readonly shelves: Shelves;
  /** The place of the chosen pet among those that match. */
  readonly selected: number;
  /** Lines of the whole pet, or of the help, that are above the screen. */
  readonly scrolled: number;
  /** What is being read. */
  readonly reading: readonly Choice[];
  /** Where the selection goes once the page that was asked for is there. */
  readonly wanted?: number | undefined;
  readonly waits: readonly Wait[];
  readonly message?: { readonly text: string; readonly isError?: true } | undefined;
  readonly quota: Quota;
}

/** What the size of the screen makes of a state. */
export interface Room {
  /** How many pets are shown. */
  readonly rows: number;
  /** How many lines of a text do not fit on the screen. */
  readonly below: number;
}

export type Event =
  | { readonly kind: 'key'; readonly key: KeyPress; readonly room: Room }
  | { readonly kind: 'page'; readonly choice: Choice; readonly page: Page; readonly anew: boolean }
  | { readonly kind: 'unread'; readonly choice: Choice; readonly message: string }
  | { readonly kind: 'added'; readonly pet: PetRecord }
  | { readonly kind: 'told'; readonly text: string; readonly isError?: true }
  | { readonly kind: 'waits' | 'waited'; readonly wait: Wait }
  | { readonly kind: 'quota'; readonly quota: Quota };

/** What is to be done about an event. */
export type Effect =
  | { readonly kind: 'read'; readonly choice: Choice; readonly anew: boolean }
  | { readonly kind: 'copy'; readonly id: string }
  | { readonly kind: 'add' | 'end' };

export type Step = readonly [state: State, ...effects: readonly Effect[]];

/** Nothing was read yet, and the first page is asked for. */
export function begin(quota: Quota): Step {
  const state: State = {
    page: 'list',
    filter: '',
    isTyping: false,
    choice: 'all',
    shelves: {},
    selected: 0,
    scrolled: 0,
    reading: [],
    waits: [],
    quota,
  };
  return read(state, 'all', true);
}

/** The state after an event, and what is to be done. */
export function update(state: State, event: Event): Step {
  switch (event.kind) {
    case 'key': {
      const action = actionOf(event.key, state);
      return action ? act({ ...state, message: undefined }, action, event.room) : [state];
    }
    case 'page':
      return [withRead(state, event)];
    case 'unread': {
      const message = { text: event.message, isError: true } as const;
      return [{ ...withoutReading(state, event.choice), message, wanted: undefined }];
    }
    case 'added':
      return [withNew(state, event.pet)];
    case 'told':
      return [{ ...state, message: event }];
    case 'waits':
      return [{ ...state, waits: [...state.waits, event.wait] }];
    case 'waited':
      return [{ ...state, waits: state.waits.filter((wait) => wait !== event.wait) }];
    case 'quota':
      return [{ ...state, quota: event.quota }];
  }
}

/** The pets that match, among those that were read. */
export function shownPets({ shelves, choice, filter }: State): readonly PetRecord[] {
  return matching(shelfOf(shelves, choice), filter);
}

function act(state: State, action: Action, room: Room): Step {
  switch (action.kind) {
    case 'move':
      return move(state, action, room);
    case 'status': {
      const step = action.back ? choices.length - 1 : 1;
      const next = choices[(choices.indexOf(state.choice) + step) % choices.length] as Choice;
      const changed = { ...state, choice: next, selected: 0, scrolled: 0, wanted: undefined };
      return shelfOf(state.shelves, next) ? [changed] : read(changed, next, true);
    }
    case 'filter': {
      const isTyping = action.text !== '' && state.isTyping;
      return [{ ...state, page: 'list', filter: action.text, isTyping, selected: 0 }];
    }
    case 'typing':
      return [{ ...state, page: 'list', isTyping: true }];
    case 'whole':
      return [{ ...state, page: state.page === 'pet' ? 'list' : 'pet', scrolled: 0 }];
    case 'help':
      return [{ ...state, page: 'help', scrolled: 0 }];
    case 'back':
      if (state.page !== 'list') return [{ ...state, page: 'list' }];
      return [{ ...state, filter: '', isTyping: false, selected: 0 }];
    case 'refresh':
      return read(state, sourceOf(state.shelves, state.choice), true);
    case 'copy': {
      const pet = shownPets(state)[state.selected];
      return pet ? [state, { kind: 'copy', id: idOf(pet) }] : [state];
    }
    case 'add':
    case 'end':
      return [state, { kind: action.kind }];
  }
}

/** Who goes past the end of what was read asks for the page that follows. */
function move(
  state: State,
  { by, back }: Extract<Action, { kind: 'move' }>,
  { rows, below }: Room,
): Step {
  const far = by === 'line' ? 1 : by === 'page' ? rows : Number.POSITIVE_INFINITY;
  if (state.page === 'help' || (state.page === 'pet' && by === 'page')) {
    const scrolled = state.scrolled + (back ? -far : far);
    return [{ ...state, scrolled: Math.max(0, Math.min(below, scrolled)) }];
  }
  const last = Math.max(0, shownPets(state).length - 1);
  const target = state.selected + (back ? -far : far);
  const selected = Math.min(last, Math.max(0, target));
  const moved = { ...state, selected, scrolled: 0, wanted: undefined };
  const isPastEnd = !back && by !== 'all' && target > last;
  if (!isPastEnd || shelfOf(state.shelves, state.choice)?.isWhole !== false) return [moved];
  return read({ ...moved, wanted: target }, state.choice, false);
}

/** One request at a time for what is shown: who asks again for what is on its way gets that. */
function read(state: State, choice: Choice, anew: boolean): Step {
  if (state.reading.includes(choice)) return [state];
  return [
    { ...state, reading: [...state.reading, choice] },
    { kind: 'read', choice, anew },
  ];
}

function withoutReading(state: State, choice: Choice): State {
  return { ...state, reading: state.reading.filter((one) => one !== choice) };
}

function withRead(before: State, { choice, page, anew }: Extract<Event, { kind: 'page' }>): State {
  const state = withoutReading(before, choice);
  const chosen = shownPets(state)[state.selected];
  const shelves = { ...state.shelves, [choice]: withPage(state.shelves[choice], page, anew) };
  const after = { ...state, shelves };
  const pets = shownPets(after);
  // The pet that was chosen stays so, wherever it now stands.
  const found = chosen ? pets.findIndex((pet) => idOf(pet) === idOf(chosen)) : -1;
  const selected = state.wanted ?? (found === -1 ? state.selected : found);
  return {
    ...after,
    selected: Math.max(0, Math.min(selected, pets.length - 1)),
    wanted: undefined,
  };
}

/** A pet that was added is shown at once, and nothing is read for it. */
function withNew(state: State, pet: PetRecord): State {
  const after = { ...state, shelves: withAdded(state.shelves, pet), filter: '', isTyping: false };
  const place = shownPets(after).findIndex((one) => idOf(one) === idOf(pet));
  const text = `added ${idOf(pet)} ${pet.name}`;
  return { ...after, selected: Math.max(0, place), page: 'list', message: { text } };
}
