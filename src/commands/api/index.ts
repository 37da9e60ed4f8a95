import { action } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';
import { anyText, anyTexts, curlFlag } from '../../cli/flags.js';

export const api = defineCommand('api', 'Send an authenticated request and print the response.', () => ({
  declare: (command) =>
    command
      .argument('<path>', 'path and query below the base URL, such as /pets?limit=1')
      .option('-X <method>', 'HTTP method (default: POST if there is a body, else GET)', anyText(methods))
      .option('-f <key=text>', 'JSON field with a text value (repeatable)', anyTexts(), [])
      .option('-F <key=value>', 'typed JSON field: true, null, 42, @file (repeatable)', anyTexts(), [])
      .option('-H <header>', 'request header, as "name: value" (repeatable)', anyTexts(), [])
      .option('--input <file>', 'file to send as the request body (- for stdin)', anyText('file'))
      .option('-i', 'include the response status and headers in the output')
      .option('--paginate', 'fetch every page and print one list')
      .option(...curlFlag)
      .action(action(async () => (await import('./api.js')).api)),
  writes: true,
  output: [],
  examples: [
    ["petstore api '/pets?limit=2'", 'Print the first two pets as the service sends them'],
    ['petstore api /pets -f name=Rex -F categoryId=7', 'Add a pet'],
    ["petstore api '/pets?limit=100' --paginate", 'Print all pets as one list'],
    ['petstore api /pets -f name=Rex -F categoryId=7 --curl -p staging', 'Print the request as a curl command'],
  ],
}));

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
