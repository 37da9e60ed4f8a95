import type { PetRecord } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import type { KeyPress } from '../../../terminal/key-press.js';
import type { KeyContext } from './keys.js';
import type { LoadedPage, PageCaches, PetBatch, StatusFilter } from './page-cache.js';
import type { SortOrder } from './sort-pets.js';

/** A request that waits. */
export interface Wait {
  /** In milliseconds since the Unix epoch. */
  readonly until: number;
  /** Such as `for the quota of sandbox`. */
  readonly reason: string;
  /** Set for a page that loads in the background. */
  readonly background?: {
    readonly status: StatusFilter;
    /** Whether half of the remaining quota is at least one request. */
    readonly canLoadMore: boolean;
  };
}

/** A pet that is being added. */
export interface PendingAdd {
  readonly name: string;
  /** False before the request is sent, and while it waits to be sent again. */
  readonly isSent: boolean;
}

/** How long a message that asks for nothing is shown. */
export const briefMessageMs = 5_000;

/** Shown until the next key. */
interface Message {
  readonly text: string | FormatMessage;
  /** Missing if the message is only information. */
  readonly severity?: Severity;
  /** When the message disappears even without a key, in milliseconds since the Unix epoch. */
  readonly until?: number | undefined;
}

/** Returns a message that depends on the time, such as a countdown. `now` is in milliseconds since the Unix epoch. */
export type FormatMessage = (now: number) => string;

export type Severity = 'error' | 'warning';

/** Everything that the screen shows, apart from its size and the time. */
export interface BrowseState extends KeyContext {
  readonly status: StatusFilter;
  /** The view that Esc shows after the help. */
  readonly viewBelowHelp: 'list' | 'details';
  readonly sort: SortOrder;
  readonly caches: PageCaches;
  /** Index of the selected pet among the visible ones. */
  readonly selected: number;
  /** Lines of the details or the help above the top of the screen. */
  readonly scrollOffset: number;
  /** Lists with a request in flight. */
  readonly loading: readonly StatusFilter[];
  /** Index to select when the requested page arrives. */
  readonly pendingSelection?: number | undefined;
  /** Whether pages of the list load in the background until there are no more. */
  readonly loadsAll: boolean;
  /** Whether the pages that were loaded before a reload load again in the background. */
  readonly isReloading: boolean;
  /** Whether the last pet stays selected while pages arrive. */
  readonly followsEnd: boolean;
  readonly waits: readonly Wait[];
  readonly adds: readonly PendingAdd[];
  /** Whether the list shows and selects the next pet that is added: no key was pressed since the form was sent. */
  readonly canSelectCreated: boolean;
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
  | ({ readonly kind: 'pageLoaded'; readonly page: LoadedPage } & PageRequest)
  | ({ readonly kind: 'loadFailed'; readonly status: StatusFilter } & Pick<Message, 'text' | 'severity'>)
  /** The user left the form without adding a pet. */
  | { readonly kind: 'addCanceled'; readonly until: number }
  | { readonly kind: 'petCreated'; readonly pet: PetRecord; readonly batch: PetBatch }
  | ({ readonly kind: 'message' } & Message)
  | { readonly kind: 'waitStarted' | 'waitEnded'; readonly wait: Wait }
  | { readonly kind: 'adds'; readonly adds: readonly PendingAdd[] }
  | { readonly kind: 'quota'; readonly quota: Quota };

interface PageRequest {
  readonly status: StatusFilter;
  /** Whether the page replaces the loaded ones. */
  readonly isFirstPage: boolean;
  /** Whether the page may use only half of the remaining quota. */
  readonly isBackground?: boolean;
}

/** A side effect that an event causes. */
export type Effect =
  | ({ readonly kind: 'load' } & PageRequest)
  | { readonly kind: 'copyId'; readonly id: string }
  /** `grantHalfQuota` lets pages in the background use half of the quota that remains now. */
  | { readonly kind: 'add' | 'quit' | 'cancelAdds' | 'stopLoading' | 'grantHalfQuota' };

export type Transition = readonly [state: BrowseState, ...effects: readonly Effect[]];
