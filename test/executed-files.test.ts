import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type OutputChunk, rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import config from '../rolldown.config.js';
import { bareEnv, node, temporaryDirectory } from './support/petstore.js';
import { startService } from './support/test-service.js';

/** A script in a report of NODE_V8_COVERAGE. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Every executed file is one that a newcomer must read to follow the most frequent command. */
const maxFiles = 55;

test(`pets list from a remote service executes functions of at most ${maxFiles} source files`, async () => {
  const folder = temporaryDirectory();
  const chunks = await buildWithSourceMaps(folder);
  const script = join(folder, 'run.cjs');
  writeFileSync(script, "void require('./main.cjs').main();");
  const { env } = await startService();
  const coverage = join(folder, 'coverage');
  await execa(node, [script, 'pets', 'list', '--status', 'available'], {
    env: { ...bareEnv(folder), ...env, NODE_V8_COVERAGE: coverage },
    extendEnv: false,
  });
  const files = readdirSync(coverage).flatMap((name) => {
    const report = JSON.parse(readFileSync(join(coverage, name), 'utf8'));
    return (report.result as readonly ScriptCoverage[]).flatMap((one) => executedFiles(one, chunks));
  });
  const executed = [...new Set(files)].sort();
  expect(executed).toContain('src/client/send.ts');
  expect(executed.length, executed.join('\n')).toBeLessThanOrEqual(maxFiles);
});

/** Writes the bundle, not minified, and resolves to its files by path. */
async function buildWithSourceMaps(folder: string): Promise<ReadonlyMap<string, OutputChunk>> {
  const { plugins, output, ...input } = config as { plugins: { name: string }[]; output: object };
  const bundle = await rolldown({
    ...input,
    // The line that this plugin prepends is not in the source maps.
    plugins: plugins.filter(({ name }) => name !== 'build-id'),
  });
  const options = { ...output, dir: folder, cleanDir: false, minify: false, sourcemap: true };
  const written = await bundle.write(options);
  const chunks = written.output.filter((file) => file.type === 'chunk');
  return new Map(chunks.map((chunk) => [join(folder, chunk.fileName), chunk]));
}

/** Returns the source files of the executed functions of a script. */
function executedFiles(
  { url, functions }: ScriptCoverage,
  chunks: ReadonlyMap<string, OutputChunk>,
): readonly string[] {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const chunk = chunks.get(path);
  if (!chunk?.map) return [];
  const map = new SourceMap(JSON.parse(chunk.map.toString()));
  return functions.flatMap(({ ranges: [range] }) => {
    // The first function is the script itself.
    if (!range || range.count === 0 || range.startOffset === 0) return [];
    const lines = chunk.code.slice(0, range.startOffset).split('\n');
    const entry = map.findEntry(lines.length - 1, lines.at(-1)?.length ?? 0);
    if (!('originalSource' in entry)) return [];
    const file = relative('.', resolve(path, '..', entry.originalSource));
    return file.startsWith('src/') ? [file] : [];
  });
}
