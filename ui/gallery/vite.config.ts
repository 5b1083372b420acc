import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gallery alone, for developers of the dashboard: `npm run gallery`. It is not shipped. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react()],
  // A single chunk: it is never loaded over a network.
  build: {
    target: 'es2022',
    emptyOutDir: true,
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { checks: { ineffectiveDynamicImport: false, pluginTimings: false } },
  },
  server: { host: '127.0.0.1' },
});
