import type { ServerErrorCode } from '../api/error.js';
import { exitCodes } from '../cli/exit-codes.js';
import { variables } from '../config/environment.js';
import { type SettingDefinition, settingDefinitions } from '../config/settings.js';
import { type ErrorCodeInfo, errorCodes } from '../error-codes.js';
import type { DefinitionItem } from '../format/wrap.js';
import { listPart, type ManPage, notes, type Part, textBlock } from './man-page.js';
import { type Topic, topicSummaries } from './topics.js';

/** Every error code with its meaning and fix, by name. */
export const errorCodeRows = Object.entries<ErrorCodeInfo>(
  errorCodes satisfies Readonly<Record<ServerErrorCode, ErrorCodeInfo>>,
)
  .map(([code, info]) => ({ code, ...info }))
  .sort((a, b) => (a.code < b.code ? -1 : 1));

/** Returns the page of each topic but `agents`, which is SKILL.md. */
export function buildTopicPages(): Readonly<Record<Exclude<Topic, 'agents'>, ManPage>> {
  const errorItems = errorCodeRows.map(({ code, meaning, fix }) => ({
    term: code,
    text: `${toSentence(meaning)} ${toSentence(fix)}`,
  }));
  return {
    'exit-codes': buildPage('exit-codes', listPart('Exit codes', exitCodeItems)),
    environment: buildPage('environment', listPart('Variables', variableItems), listPart('Settings', settingItems)),
    errors: buildPage('errors', listPart('Error codes', errorItems)),
  };
}

function buildPage(topic: Topic, ...tables: readonly Part[]): ManPage {
  const description = { title: 'Description', blocks: (notes.get(topic) ?? []).map(textBlock) };
  return { name: `petstore-${topic}`, section: 7, summary: topicSummaries[topic], parts: [description, ...tables] };
}

export const exitCodeItems: readonly DefinitionItem[] = exitCodes.map(({ code, meaning }) => ({
  term: String(code),
  text: meaning,
}));

const settingItems: readonly DefinitionItem[] = settingDefinitions.map(
  ({ name, description, type, default: value, flag, variable }: SettingDefinition) => {
    const stored = type.show(value);
    const sources = [/--[a-z-]+/.exec(flag ?? '')?.[0], variable].filter((source) => source !== undefined);
    return {
      term: name,
      text: [
        `${description}${stored === '' ? '' : ` (default: ${stored})`}`,
        ...sources.map((source) => `\`${source}\``),
      ].join('; '),
    };
  },
);

/** The variables of petstore, and those that other programs also read. */
const variableItems: readonly DefinitionItem[] = [
  ...variables.map(({ name, description }) => ({ term: name, text: description })),
  { term: 'PETSTORE_SERVE_<flag>', text: 'a flag of `petstore serve`, such as `PETSTORE_SERVE_PORT`' },
  {
    term: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    text: 'proxy URLs and bypass list; loopback is never proxied',
  },
  { term: 'NODE_EXTRA_CA_CERTS', text: 'file with additional certificate authorities' },
  {
    term: 'NO_COLOR, FORCE_COLOR',
    text: 'disable or force color; `--color` takes precedence',
  },
  {
    term: 'TERM, CI, COLUMNS',
    text: '`TERM=dumb` and `CI` disable prompts and redrawing; `COLUMNS` sets the width',
  },
  {
    term: 'AI_AGENT',
    text: 'disables prompts and redrawing, as do the variables of common AI agents, such as `CLAUDECODE`',
  },
  { term: 'PAGER', text: 'pager command for `petstore help` (default: less)' },
  {
    term: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    text: 'base directories for petstore files',
  },
];

function toSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
