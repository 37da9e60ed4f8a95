import { exampleBlock, type ManPage, textBlock } from './man-page.js';
import { topicSummaries } from './topic-names.js';

/** The page for AI agents; also docs/agents.md. */
export const agentsPage: ManPage = {
  name: 'petstore-agents',
  section: 7,
  summary: topicSummaries.agents,
  parts: [
    {
      title: 'Description',
      blocks: [textBlock('Everything that a program or an AI agent needs to run petstore without a terminal.')],
    },
    {
      title: 'Discover commands',
      blocks: [
        {
          kind: 'list',
          items: [
            {
              term: 'petstore help --json',
              text: 'every command, flag, setting, exit code and error code; `writes` marks commands that change data, and `output` lists the fields of the JSON',
            },
          ],
        },
      ],
    },
    {
      title: 'Input and output',
      blocks: [
        textBlock(
          'Under an agent (`AI_AGENT` or a variable of a common agent is set), petstore does not prompt. If input is missing, it exits 2 and names the flags. It reads standard input only for `-` and `--with-key`.',
        ),
        textBlock(
          'Results go to stdout, everything else to stderr. Agents get the same format as people: pass `--json` or `--output ndjson`. `--fields id,name` chooses keys, `--jq` filters, and `--quiet` prints only errors on stderr. Ids are 64-bit integers: do not parse them as doubles.',
        ),
      ],
    },
    {
      title: 'Errors',
      blocks: [
        textBlock('With a machine format, the last line on stderr is a JSON object with the key `error`. Its members:'),
        {
          kind: 'list',
          items: [
            { term: 'code, exitCode', text: 'what failed; see `petstore help errors`' },
            { term: 'missing', text: 'flags or arguments to add, with their `choices`' },
            { term: 'next', text: 'commands to run unchanged in a POSIX shell; they contain no secrets' },
            { term: 'retryAt', text: 'the earliest time for another attempt' },
          ],
        },
        textBlock(
          'Exit codes: 0 success, 1 failure on this machine, 2 usage (nothing was sent), 3 API key, 4 not found, 5 rejected, 6 rate limited, 7 service failure, 8 network (nothing was changed), 9 outcome unknown, 10 partial. See `petstore help exit-codes`.',
        ),
      ],
    },
    {
      title: 'Quota',
      blocks: [
        textBlock(
          'petstore waits for the quota up to `--max-wait` seconds (default: 60). After exit 6, wait until `retryAt`, then run the command in `next`. `petstore quota --json` sends no request.',
        ),
      ],
    },
    {
      title: 'Changes',
      blocks: [
        textBlock(
          'After exit 9, a pet may have been added: run the command in `next` instead of the same command. If the service honors `Idempotency-Key`, that command adds the pet only if it is missing. Run an interrupted `pets import` again to resume it; no pet is added twice. `--dry-run` and `--curl` send nothing.',
        ),
      ],
    },
    {
      title: 'Rules',
      blocks: [
        {
          kind: 'list',
          items: [
            { term: 'PETSTORE_READ_ONLY=1', text: 'set it if the task only reads; writes then exit 2' },
            { term: '--yes, --force', text: 'pass them only if the user asked for the change' },
            {
              term: '--profile sandbox',
              text: 'try commands here first; `petstore sandbox reset` restores the sample pets',
            },
            {
              term: 'API keys',
              text: 'set `PETSTORE_API_KEY` or `PETSTORE_API_KEY_FILE`; never pass a key as an argument, and never run `petstore auth token`',
            },
            { term: '--watch, pets browse, serve', text: 'do not use: they run until a signal or a key stops them' },
          ],
        },
      ],
    },
    {
      title: 'Examples',
      blocks: [
        exampleBlock('petstore pets list --all --json --quiet', 'List every pet'),
        exampleBlock(
          'petstore pets add --name Rex --category-id 1 --fields id -o tsv --no-header',
          'Add a pet and print only its id',
        ),
      ],
    },
  ],
};
