import { findSimilar } from '../format/suggest.js';

/**
 * Returns the words of the command that was probably meant, without `petstore`. `parents` are the words before the
 * unknown one, and `names` those that may follow them.
 */
export function suggestCommand(word: string, parents: readonly string[], names: readonly string[]): string | undefined {
  const pathOf = (last: string) => [...parents, last].join(' ');
  const targetOf = (last: string) => intents.get(pathOf(last)) ?? pathOf(last);
  const typed = word.toLowerCase();
  if (intents.has(pathOf(typed))) return targetOf(typed);
  const prefix = pathOf('');
  const intended = [...intents.keys()]
    .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes(' '))
    .map((path) => path.slice(prefix.length));
  const isHarmless = (last: string) => !destructive.includes(targetOf(last).split(' ').at(-1) ?? '');
  const similar = findSimilar(word, [...names, ...intended]);
  if (similar === undefined || !(isHarmless(similar) || isTypingError(word, similar))) return undefined;
  return targetOf(similar);
}

/** Returns whether a word was typed with its letters in another order, or without the last one. */
export function isTypingError(typed: string, meant: string): boolean {
  return findSimilar(typed, [meant], { isStrict: true }) !== undefined;
}

/** Words that users of other command lines try first, and the command that they mean. */
export const intents: ReadonlyMap<string, string> = new Map([
  ['list', 'pets list'],
  ['ls', 'pets list'],
  ['browse', 'pets browse'],
  ['add', 'pets add'],
  ['create', 'pets add'],
  ['get', 'pets get'],
  ['show', 'pets get'],
  ['search', 'pets browse'],
  ['find', 'pets browse'],
  ['watch', 'pets list --watch'],
  ['import', 'pets import'],
  ['export', 'pets export'],
  ['login', 'auth login'],
  ['logout', 'auth logout'],
  ['token', 'auth token'],
  ['status', 'auth status'],
  ['whoami', 'auth status'],
  ['use', 'profile use'],
  ['switch', 'profile use'],
  ['settings', 'config list'],
  ['server', 'serve'],
  ['keys', 'serve keys list'],
  ['version', '--version'],
  ['pets ls', 'pets list'],
  ['pets show', 'pets get'],
  ['pets view', 'pets get'],
  ['pets search', 'pets browse'],
  ['pets find', 'pets browse'],
  ['pets watch', 'pets list --watch'],
  ['pets create', 'pets add'],
  ['pets new', 'pets add'],
  ['orders ls', 'orders list'],
  ['auth list', 'profile list'],
  ['auth ls', 'profile list'],
  ['auth whoami', 'auth status'],
  ['auth switch', 'profile use'],
  ['profile add', 'profile set'],
  ['profile create', 'profile set'],
  ['profile new', 'profile set'],
  ['profile ls', 'profile list'],
  ['profile switch', 'profile use'],
  ['profile delete', 'profile remove'],
  ['profile rm', 'profile remove'],
  ['serve keys ls', 'serve keys list'],
  ['serve keys delete', 'serve keys revoke'],
  ['serve keys remove', 'serve keys revoke'],
  ['serve keys rm', 'serve keys revoke'],
  ['config show', 'config list'],
  ['config ls', 'config list'],
]);

/** Commands and flags that delete or overwrite something: suggested only for a typing error, not for another word. */
export const destructive: readonly string[] = ['logout', 'remove', 'reset', 'revoke', 'unset', 'force', 'yes'];

/** Returns what the words ask for that the API cannot do, such as `delete pets`. */
export function findMissingOperation(words: string): string | undefined {
  return missingOperations.find(([, pattern]) => pattern.test(words))?.[0];
}

const missingOperations = [
  ['delete pets', /^(?:pets )?(?:delete|del|remove|rm)$/i],
  ['change pets', /^pets (?:update|edit|patch|rename|set)$/i],
] as const;
