// Builds the page into the package that serves it. Nothing inline, nothing remote: the server's policy allows neither.
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['toolyard-source', 'browser', 'module'] },
  build: {
    outDir: '../harness/dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    rolldownOptions: {
      output: {
        // zod together with what tells it to make no code of strings, before any chunk that makes a schema.
        codeSplitting: {
          groups: [{ name: 'schemas', test: /node_modules\/zod\/|src\/no-eval\.ts/, priority: 1 }],
        },
      },
    },
  },
});
