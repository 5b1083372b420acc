import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const daemon = 'http://127.0.0.1:4747';
const apiPaths = '^/(team|requests|receipts|health|doctor|clients|preferences|project|events|openapi\\.json|docs)(/|\\?|$)';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/ui', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The daemon's Content-Security-Policy allows no inline script and no data: font.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      // The daemon answers only to its own origin, so the proxy speaks in its name.
      [apiPaths]: { target: daemon, changeOrigin: true, ws: true, headers: { origin: daemon } },
    },
  },
});
