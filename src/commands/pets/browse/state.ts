import type { PetRecord, PetStatus } from '../../../api/pet.js';
import { petStatuses } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import { formatExactNumber } from '../../../format/json.js';
import type { KeyPress } from '../../../terminal/key-press.js';

/** Which pets the screen lists. */
export type StatusFilter = PetStatus | 'all';

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses];

/** The orders of the list; Ctrl-S selects the next one. */
export const sortOrders = ['id', 'name', 'status'] as const;
export type SortOrder = (typeof sortOrders)[number];

/** A request that waits. */
interface Wait {
  /** In milliseconds since the Unix epoch. */
  readonly until: number;
  /** Such as `for the quota of sandbox`. */
  readonly reason: string;
}

/** Shown until the next key. */
export interface Message {
  readonly text: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** Missing if the message is only information. */
  readonly severity?: 'error' | 'warning';
  /** When a retry makes sense, in milliseconds since the Unix epoch. */
  readonly retryAt?: number | undefined;
}

/** Everything that the screen shows, apart from its size and the time. */
export interface BrowseState {
  /** Whether pets cannot be added. */
  readonly isReadOnly: boolean;
  readonly status: StatusFilter;
  /** The pets that are loaded, in the order of the service. */
  readonly pets: readonly PetRecord[];
  /**
   * `none` before the first page; `unknown` after one full page without a next link: the service may not support
   * pagination.
   */
  readonly loaded: 'none' | 'partial' | 'unknown' | 'complete';
  /** The next page, every page that is left, or nothing. */
  readonly loading?: 'page' | 'all' | undefined;
  /** The filter. */
  readonly search: string;
  /** Whether every character is text, even if it is a shortcut elsewhere. */
  readonly isTyping: boolean;
  readonly sort: SortOrder;
  readonly view: 'list' | 'details' | 'help';
  /** Index of the selected pet among the visible ones. */
  readonly selected: number;
  /** The index to select when the next page arrives, unless a key is pressed before. */
  readonly pendingSelection?: number | undefined;
  /** The id of the pet to select when its page arrives. */
  readonly pendingId?: string | undefined;
  /** Lines of the details or the help above the top of the screen. */
  readonly scrollOffset: number;
  readonly wait?: Wait | undefined;
  readonly message?: Message | undefined;
  readonly quota: Quota;
}

/** What fits on the screen. */
export interface Viewport {
  readonly petRows: number;
  readonly maxScrollOffset: number;
}

export type BrowseEvent =
  | { readonly kind: 'key'; readonly key: KeyPress; readonly viewport: Viewport }
  | { readonly kind: 'page'; readonly pets: readonly PetRecord[]; readonly isFirst: boolean; readonly hasNext: boolean }
  | { readonly kind: 'loadFailed'; readonly message: Message }
  | { readonly kind: 'added'; readonly pet: PetRecord }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'wait'; readonly wait: Wait | undefined }
  | { readonly kind: 'quota'; readonly quota: Quota };

/** A side effect that an event causes. */
export type Effect =
  /** Starts a list, and cancels the requests of the one before. */
  | { readonly kind: 'open'; readonly status: StatusFilter }
  /** Loads the next page. `leavesHalf`: within half of the quota that remained at End. */
  | { readonly kind: 'load'; readonly leavesHalf: boolean }
  | { readonly kind: 'copyId'; readonly id: string }
  /** `grantHalf` lets the pages that End loads use half of the quota that remains now. */
  | { readonly kind: 'grantHalf' | 'stop' | 'add' | 'quit' };

export type Transition = readonly [state: BrowseState, ...effects: readonly Effect[]];

/** Returns the digits of a pet's id, or `-` if it has none. */
export function formatPetId({ id }: PetRecord): string {
  return formatExactNumber(id) ?? String(id ?? '-');
}
