import { action } from '../../app/action.js';
import { addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { anyText, anyTexts, curlFlag } from '../../cli/flags.js';

export const api = defineCommand(
  'api',
  "Send a raw request with the profile's key, and print what comes back.",
  (command) => {
    command
      .argument('<path>', 'path and query below the base URL, such as /pets?limit=1')
      .option('-X <method>', 'GET, or POST where a body is given', anyText(methods))
      .option('-f <key=text>', 'a member of the body, as text (repeatable)', anyTexts(), [])
      .option(
        '-F <key=value>',
        'the same, where true, false, null, whole numbers and @file are what they say (repeatable)',
        anyTexts(),
        [],
      )
      .option('-H <name: value>', 'a further header (repeatable)', anyTexts(), [])
      .option('--input <file>', 'send this file as the body (- for stdin)', anyText('file'))
      .option('-i', 'print status and headers too')
      .option('--paginate', 'follow the links to the next pages, into one list')
      .option(...curlFlag)
      .action(action(async () => (await import('./api.js')).api));
    addExamples(command, [
      ["petstore api '/pets?limit=2'", 'the first two pets, as the service sends them'],
      ['petstore api /pets -f name=Rex -F categoryId=7', 'add a pet by hand'],
      ["petstore api '/pets?limit=100' --paginate", 'every page in one list'],
      ['petstore api /pets -f name=Rex -F categoryId=7 --curl -p staging', 'the same for curl'],
    ]);
    addNotes(
      command,
      'The path stays below the base URL, and the key goes to no other origin. The body is printed whatever the status is; the exit code still tells.',
      'With `--curl` (`pets list`, `add`, `get` and `export`, `orders list`, `quota`, `auth status` and `doctor` have it too) the request is printed as a command for a POSIX shell, and not sent. It names the key as `$PETSTORE_API_KEY`, and is quoted so that it can be pasted whatever is in it. Of several pages it is the first.',
    );
  },
);

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
