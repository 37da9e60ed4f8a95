import type { Completes } from '../cli/flag-parsers.js';
import { settingNames } from '../config/settings.js';
import { type ArgumentOutline, type FlagOutline, flatten, type Outline } from './outline.js';
import { topicNames, topicPurposes } from './topic-names.js';

/** A place on the command line, and what may stand there; the flags that every command takes come on top. */
export interface Place {
  /** The words that lead there, from the one after `petstore` on. */
  readonly words: readonly string[];
  readonly commands: readonly Named[];
  readonly arguments: readonly Value[];
  readonly flags: readonly Flag[];
}

export interface Named {
  readonly name: string;
  readonly purpose: string;
}

export interface Flag {
  /** `-p`, `--profile`, or both. */
  readonly names: readonly string[];
  readonly purpose: string;
  readonly repeats: boolean;
  /** Nothing for a switch. */
  readonly value?: Value | undefined;
  /** What a value is called that may be left out: for most shells such a flag is a switch. */
  readonly optional?: string | undefined;
}

export interface Value {
  /** What it is called: `file`, `name: value`. */
  readonly term: string;
  readonly offer: Offer;
}

/** What a shell can know of a value: some words, names of files or of profiles, or nothing. */
export type Offer = readonly string[] | 'file' | 'profile' | 'nothing';

/**
 * As many bytes of a configuration file as a shell reads at a Tab: a thousand profiles, in a moment even in bash 3.2.
 * JSON that is cut off is broken, so a larger file adds no names.
 */
export const bytesRead = 16_384;

/** Every place below a command, itself first. After `help` the commands stand again, without their flags. */
export function placesOf(root: Outline): readonly Place[] {
  return flatten(root).flatMap((outline) => {
    const words = outline.words.slice(1);
    const flags = outline.flags.map(flagOf);
    const own = {
      words,
      commands: outline.commands.map(named),
      arguments: outline.arguments.map(argumentOf),
      flags: outline === root ? [] : flags,
    };
    const explains = outline.arguments.some(({ completes }) => completes === 'command');
    return explains ? [{ ...own, ...explained(root) }, ...placesBelow(words, root)] : [own];
  });
}

/** The flags that every command takes. */
export function globalFlagsOf(root: Outline): readonly Flag[] {
  return root.flags.map(flagOf);
}

/** An offer as one text: its words, or `@` and what it is. */
export function codeOf(offer: Offer): string {
  return typeof offer === 'string' ? `@${offer}` : offer.join(' ');
}

function explained(root: Outline): Pick<Place, 'commands' | 'arguments'> {
  const pages = topicNames.map((name) => ({ name, purpose: topicPurposes[name] }));
  return { commands: [...root.commands.map(named), ...pages], arguments: [] };
}

function placesBelow(words: readonly string[], root: Outline): readonly Place[] {
  const pages = topicNames.map((name) => ({ words: [name], commands: [] }));
  const commands = flatten(root)
    .slice(1)
    .map((outline) => ({ words: outline.words.slice(1), commands: outline.commands.map(named) }));
  return [...commands, ...pages].map((place) => ({
    words: [...words, ...place.words],
    commands: place.commands,
    arguments: [],
    flags: [],
  }));
}

function named({ words, purpose }: Outline): Named {
  return { name: words.at(-1) as string, purpose };
}

function flagOf({ names, purpose, repeats, value, completes }: FlagOutline): Flag {
  const known = { names, purpose, repeats };
  if (value === undefined) return known;
  const term = bare(value);
  // What may be left out must not be in the way of what follows.
  if (value.startsWith('[')) return { ...known, optional: term };
  return { ...known, value: { term, offer: offerOf(completes) } };
}

function argumentOf({ term, completes }: ArgumentOutline): Value {
  return { term: bare(term), offer: offerOf(completes) };
}

function offerOf(completes: Completes | undefined): Offer {
  if (completes === undefined || completes === 'command') return 'nothing';
  return completes === 'setting' ? settingNames : completes;
}

function bare(term: string): string {
  return term.slice(1, -1);
}
