import { settingDefinitions } from '../config/settings.js';
import { environmentBlocks, exampleBlock, exitCodeBlocks, type ManPage, textBlock } from './man-page.js';
import { type Topic, topicSummaries } from './topic-names.js';

export const topicPages: Readonly<Record<Topic, ManPage>> = {
  'exit-codes': {
    name: 'petstore-exit-codes',
    section: 7,
    summary: topicSummaries['exit-codes'],
    parts: [
      {
        title: 'Description',
        blocks: [
          textBlock(
            'Each exit code means one thing. Those from 2 to 8 promise that nothing was changed; 9 says that it is not known, and 10 that some of it was done.',
          ),
          ...exitCodeBlocks,
          textBlock(
            'With a machine format the last line on stderr is the error as one JSON object: `{"error":{"code","message","hint","status","exitCode","retryAt"}}`, keys without a value left out. `retryAt` is an ISO 8601 time.',
          ),
        ],
      },
      {
        title: 'Examples',
        blocks: [exampleBlock('petstore pets list --json || echo "exit code $?"', 'tell what went wrong')],
      },
    ],
  },
  environment: {
    name: 'petstore-environment',
    section: 7,
    summary: topicSummaries.environment,
    parts: [
      {
        title: 'Description',
        blocks: [
          textBlock(
            'A flag wins over the environment, that over the profile, that over the settings of `petstore config`, and those over the defaults. A variable that is empty is not set.',
          ),
          ...environmentBlocks,
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
          exampleBlock('PETSTORE_OUTPUT=json petstore pets list', 'JSON without a flag'),
          exampleBlock('petstore config list --sources', 'what holds, and who chose it'),
        ],
      },
    ],
  },
  formats: {
    name: 'petstore-formats',
    section: 7,
    summary: topicSummaries.formats,
    parts: [
      {
        title: 'Description',
        blocks: [
          textBlock(
            'The result goes to stdout and nothing else does; status line, notices, warnings and errors go to stderr. `--output` chooses the format, `--fields` the columns or keys and their order.',
          ),
          {
            kind: 'list',
            items: [
              {
                term: 'table',
                text: 'for people: no lines between cells, two spaces between columns; names are cut to the width of a terminal, never in a pipe',
              },
              {
                term: 'json',
                text: 'one document, indented by two spaces, written once it is whole; 64-bit ids digit by digit',
              },
              { term: 'ndjson', text: 'one JSON object a line, written as it comes' },
              { term: 'yaml', text: 'one document, written once it is whole' },
              {
                term: 'csv',
                text: "RFC 4180 with a header row, written as it comes; text that a spreadsheet would run as a formula gets a `'` before it",
              },
              { term: 'tsv', text: 'the same with tabs' },
            ],
          },
          textBlock(
            '`--jq` filters the JSON with a program of jq, after `--fields` has chosen: a result that is a string is written as it is, any other as JSON on one line. jq compares and passes on 64-bit ids exactly, but computes with 53 bits: what it would round is an error. A program that cannot be read is exit code 2, and nothing is sent; one that fails, or runs for more than 5 seconds, is exit code 1, and shows nothing.',
          ),
          textBlock(
            'Text from a service never reaches a terminal raw: controls, escapes, bidirectional and zero-width characters are shown as `\\u001b` and the like. In JSON and YAML they are escapes, and nothing is lost.',
          ),
        ],
      },
      {
        title: 'Examples',
        blocks: [
          exampleBlock("petstore pets list --json | jq -r '.[].name'", 'names for a script'),
          exampleBlock(
            "petstore pets list --jq '.[] | select(.categoryId == 1).name'",
            'the same with the jq that is built in, for one category',
          ),
          exampleBlock('petstore pets list --output csv --fields id,name --no-header', 'two columns without a heading'),
        ],
      },
    ],
  },
};
