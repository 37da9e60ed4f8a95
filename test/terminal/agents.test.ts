import { execa } from 'execa';
import { expect, test } from 'vitest';
import { agentPatterns, agentVariables, isAgent } from '../../src/terminal/agents.js';
import { node } from '../support/petstore.js';

/** Prints which variables std-env reads to detect an agent, and what it finds in each of some environments. */
const script = `
const reads = new Set();
let env = {};
const read = (_, name) => (reads.add(name), env[name]);
Object.defineProperty(process, 'env', { value: new Proxy({}, { get: read }) });
const { detectAgent } = await import(process.argv[1]);
reads.clear();
const find = (one) => { env = one; return detectAgent().name !== undefined; };
find({});
const names = [...reads];
console.log(JSON.stringify({ names, found: JSON.parse(process.argv[2]).map(find) }));
`;

/** Variables that people set for themselves. */
const otherVariables = ['GOOSE_PROVIDER', 'REPL_ID'];

const environments: readonly Readonly<Record<string, string>>[] = [
  ...agentVariables.flatMap((name) => [{ [name]: '1' }, { [name]: '' }]),
  { PATH: '/home/you/.pi/agent/bin:/usr/bin' },
  { PATH: 'C:\\Users\\you\\.pi\\agent\\bin' },
  { PATH: '/home/you/pi/agent/bin' },
  { EDITOR: '/opt/devin/bin/editor' },
  { EDITOR: 'vi' },
  { TERM_PROGRAM: 'kiro' },
  { TERM_PROGRAM: 'iTerm.app' },
  { CI: 'true' },
];

test('agents are detected as in std-env, except by variables that people set', async () => {
  const module = import.meta.resolve('std-env');
  const args = ['--input-type=module', '-e', script, module, JSON.stringify(environments)];
  const { names, found } = JSON.parse((await execa(node, args)).stdout);
  const known = [...agentVariables, ...Object.keys(agentPatterns), 'TERM_PROGRAM', ...otherVariables];
  expect(names.toSorted()).toEqual(known.toSorted());
  expect(environments.map((env) => isAgent(env, { hasTerminal: false }))).toEqual(found);
});

test('Kiro on a terminal is not an agent', () => {
  expect(isAgent({ TERM_PROGRAM: 'kiro' }, { hasTerminal: true })).toBe(false);
});
