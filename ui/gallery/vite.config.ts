import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gallery alone, for who works on the dashboard: `npm run gallery`. It is no part of what is shipped. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react()],
  // It is all one piece: nobody waits for it over a network.
  build: {
    target: 'es2022',
    emptyOutDir: true,
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { checks: { ineffectiveDynamicImport: false, pluginTimings: false } },
  },
  server: { host: '127.0.0.1' },
});
