import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'rolldown';

const require = createRequire(import.meta.url);
const renderer = dirname(require.resolve('swagger-ui-dist/package.json'));

const files = [
  ...['index.html', 'page.css', 'page.js'].map((name) => join('web', name)),
  ...[
    'favicon-32x32.png',
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    // The first line of swagger-ui-bundle.js names this file.
    'swagger-ui-bundle.js.LICENSE.txt',
  ].map((name) => join(renderer, name)),
];

/** Writes the files of the API reference page, compressed, to `docs/` in the output folder. */
export const docsPage: Plugin = {
  name: 'docs-page',
  renderStart() {
    for (const file of files) {
      this.emitFile({
        type: 'asset',
        fileName: `docs/${basename(file)}.gz`,
        originalFileName: file,
        source: gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }),
      });
    }
  },
};
