import { defineConfig } from 'rolldown';

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: ['@photostructure/sqlite'],
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: true,
    comments: { legal: false },
  },
});
