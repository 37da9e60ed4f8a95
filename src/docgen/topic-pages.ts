import type { ServerErrorCode } from '../api/error.js';
import { settingDefinitions } from '../config/settings.js';
import { type ErrorCodeInfo, errorCodes } from '../error-codes.js';
import { agentsPage } from './agents-page.js';
import {
  exampleBlock,
  exitCodeBlocks,
  listDocumentedVariables,
  listVariables,
  type ManPage,
  textBlock,
} from './man-page.js';
import type { CommandOutline } from './outline.js';
import { type Topic, topicSummaries } from './topic-names.js';

/** Every error code with its meaning and fix, by name. */
export const errorCodeRows = Object.entries<ErrorCodeInfo>(
  errorCodes satisfies Readonly<Record<ServerErrorCode, ErrorCodeInfo>>,
)
  .map(([code, info]) => ({ code, ...info }))
  .sort((a, b) => (a.code < b.code ? -1 : 1));

/** Returns the page of each topic; `root` has the commands whose flags have variables. */
export function buildTopicPages(root: CommandOutline): Readonly<Record<Topic, ManPage>> {
  return {
    agents: agentsPage,
    'exit-codes': exitCodesPage,
    environment: buildEnvironmentPage(root),
    errors: errorsPage,
  };
}

const exitCodesPage: ManPage = {
  name: 'petstore-exit-codes',
  section: 7,
  summary: topicSummaries['exit-codes'],
  parts: [
    {
      title: 'Description',
      blocks: [
        textBlock(
          'Each exit code has one meaning. With exit codes 2 to 8, nothing was changed. With 9, the outcome is unknown. With 10, part of the work was done.',
        ),
        ...exitCodeBlocks,
        textBlock(
          'With any `--output` except `table`, the last line on stderr is one JSON object. Its only member `error` has the members `code`, `message`, `hint`, `status`, `exitCode`, `retryAt`, `missing` and `next`. Members without a value are omitted. `retryAt` is an ISO 8601 time. `missing` lists the flags and arguments that would have answered a prompt. `next` lists commands to run unchanged in a POSIX shell; none of them prompts. Run `petstore help errors` to list the values of `code`.',
        ),
      ],
    },
    {
      title: 'Examples',
      blocks: [
        exampleBlock('petstore pets list --json || echo "exit code $?"', 'Print the exit code if the command fails'),
      ],
    },
  ],
};

function buildEnvironmentPage(root: CommandOutline): ManPage {
  return {
    name: 'petstore-environment',
    section: 7,
    summary: topicSummaries.environment,
    parts: [
      {
        title: 'Description',
        blocks: [
          textBlock(
            'If a setting has several values, the flag takes precedence, then the environment variable, the profile and the configuration file. An empty variable counts as unset, except `PETSTORE_API_KEY` and `PETSTORE_API_KEY_FILE`, which must not be empty.',
          ),
          ...listVariables(listDocumentedVariables(root)),
        ],
      },
      {
        title: 'Settings',
        blocks: [
          {
            kind: 'list',
            items: settingDefinitions.map(({ name, type, description, default: value }) => {
              const stored = type.serialize(value);
              return {
                term: name,
                text: `${description}${stored === '' ? '' : ` (default: ${stored})`}`,
              };
            }),
          },
        ],
      },
      {
        title: 'Examples',
        blocks: [
          exampleBlock('PETSTORE_OUTPUT=json petstore pets list', 'Print JSON without a flag'),
          exampleBlock('petstore config list', 'Show the effective settings and their sources'),
        ],
      },
    ],
  };
}

function toSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

const errorsPage: ManPage = {
  name: 'petstore-errors',
  section: 7,
  summary: topicSummaries.errors,
  parts: [
    {
      title: 'Description',
      blocks: [
        textBlock(
          'With any `--output` except `table`, an error is one JSON object on stderr. Its `code` is one of these values or a value from the service. If an error response contains no `code`, petstore derives one from the HTTP status, such as `http_418`.',
        ),
        {
          kind: 'list',
          items: errorCodeRows.map(({ code, meaning, fix }) => ({
            term: code,
            text: `${toSentence(meaning)} ${toSentence(fix)}`,
          })),
        },
      ],
    },
    {
      title: 'Examples',
      blocks: [
        exampleBlock(
          'petstore pets list --json --quiet 2>&1 >pets.json | jq -r .error.code',
          'Print the error code, if any',
        ),
      ],
    },
  ],
};
