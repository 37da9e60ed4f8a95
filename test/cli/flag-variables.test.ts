import { beforeEach, describe, expect, test } from 'vitest';
import { type AnyCommand, globalGroup, variableOf } from '../../src/cli/command-spec.js';
import { listFlagVariables, readFlagVariables } from '../../src/cli/flag-variables.js';
import { createProgram, declareAll } from '../../src/cli/program.js';
import { petstore } from '../../src/commands/index.js';
import { type Environment, findMisspelledVariables } from '../../src/config/environment.js';

let program: AnyCommand;
let serve: AnyCommand;

beforeEach(() => {
  program = declareAll(createProgram(petstore, { write: () => {}, width: 80 }));
  serve = program.commands.find((command) => command.name() === 'serve') as AnyCommand;
});

test('every flag of serve has a variable', () => {
  const flags = serve.options.filter(({ helpGroupHeading }) => helpGroupHeading !== globalGroup);
  const names = flags.map((option) => [option.long, variableOf(serve, option)]);
  for (const [long = '', name] of names) {
    expect(name).toBe(`PETSTORE_SERVE_${long.slice(2).toUpperCase().replaceAll('-', '_')}`);
  }
  expect(listFlagVariables(program)).toEqual(names.map(([, name]) => name));
});

test('the subcommands of serve read only the variable of the database', () => {
  const descendants = (command: AnyCommand): AnyCommand[] =>
    command.commands.flatMap((child) => [child as AnyCommand, ...descendants(child as AnyCommand)]);
  const commands = descendants(serve).filter(({ options }) => options.some(({ long }) => long === '--database'));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    expect(command.options.flatMap((option) => variableOf(command, option) ?? [])).toEqual(['PETSTORE_SERVE_DATABASE']);
  }
});

test('other flags have no variable', () => {
  const pets = program.commands.find((command) => command.name() === 'pets') as AnyCommand;
  const list = pets.commands.find((command) => command.name() === 'list') as AnyCommand;
  expect(list.options.filter((option) => variableOf(list, option) !== undefined)).toEqual([]);
  for (const option of serve.options.filter(({ helpGroupHeading }) => helpGroupHeading === globalGroup)) {
    expect(variableOf(serve, option)).toBeUndefined();
  }
});

describe('readFlagVariables', () => {
  test.each<[string, string, object]>([
    ['PETSTORE_SERVE_PORT', '0', { port: 0 }],
    ['PETSTORE_SERVE_PORT', '', { port: 4010 }],
    ['PETSTORE_SERVE_HOST', '::1', { host: '::1' }],
    ['PETSTORE_SERVE_ALLOW_HOST', 'a.example, b.example', { allowHost: ['a.example', 'b.example'] }],
    ['PETSTORE_SERVE_FAULT', '503:0.5,seed:42', { fault: { faults: [{ kind: 503, probability: 0.5 }], seed: 42 } }],
  ])('sets the flag of %s=%s', (name, text, expected) => {
    readFlagVariables(serve, { [name]: text });
    for (const [key, value] of Object.entries(expected)) expect(serve.getOptionValue(key)).toEqual(value);
  });

  test('keeps a flag of the command line', () => {
    serve.setOptionValueWithSource('port', 5000, 'cli');
    readFlagVariables(serve, { PETSTORE_SERVE_PORT: 'not read' });
    expect(serve.opts()).toMatchObject({ port: 5000 });
  });

  test.each([
    [
      'PETSTORE_SERVE_PORT',
      '99999',
      'PETSTORE_SERVE_PORT is invalid: --port must be a whole number from 0 to 65535, not "99999"',
    ],
    [
      'PETSTORE_SERVE_PLAN',
      'gold',
      'PETSTORE_SERVE_PLAN is invalid: --plan must be one of free, pro, business, enterprise, not "gold"',
    ],
  ])('rejects %s=%s', (name, text, message) => {
    const read = () => readFlagVariables(serve, { [name]: text } satisfies Environment);
    expect(read).toThrow(`the environment variable ${message}`);
    expect(read).toThrow(
      expect.objectContaining({ kind: 'usage', details: expect.objectContaining({ code: 'invalid_setting' }) }),
    );
  });
});

test.each([
  ['PETSTORE_SERVE_PRT', ['unknown environment variable PETSTORE_SERVE_PRT; did you mean "PETSTORE_SERVE_PORT"?']],
  ['PETSTORE_APIKEY', ['unknown environment variable PETSTORE_APIKEY; did you mean "PETSTORE_API_KEY"?']],
  ['PETSTORE_SERVE_PROT', []],
  ['PETSTORE_SERVICE_HOST', []],
  ['PETSTORE_SERVE_LOG', []],
])('findMisspelledVariables checks %s', async (name, warnings) => {
  expect(await findMisspelledVariables({ [name]: '1' }, async () => listFlagVariables(program))).toEqual(warnings);
});

test('findMisspelledVariables does not declare the commands without need', async () => {
  const fail = () => Promise.reject(new Error('not needed'));
  expect(await findMisspelledVariables({ PETSTORE_OUTPUT: 'json', PATH: '/bin' }, fail)).toEqual([]);
});
