import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const base = '/app/';
const daemon = 'http://127.0.0.1:4747';
const apiPaths =
  '^/(team|requests|conversations|roadmap|receipts|health|doctor|clients|preferences|project|events|openapi\\.json|docs)(/|\\?|$)';

/** What every page needs: libraries, the shell with the first page, the plain components and their reads. */
const shared = [
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/(?!.*[iI]nfiniteQuery)/,
  /\/ui\/app\/(?!pages\/(?!desk-page)|command-palette|first-run|shortcut-sheet)/,
  /\/ui\/lib\/(?!line-diff)/,
  /\/ui\/components\/(?!markdown|diff|dialog|code-block|field|tooltip|exact-ago)/,
  /\/ui\/features\/(team\/team-queries|system\/system-queries|conversations\/conversations-queries|roadmap\/roadmap-key|asks\/(asks-queries|citation-words|request-row))/,
];

/** Names in the page's head what the browser would otherwise find out about one answer later: the entry's imports and the two fonts. */
const announced: Plugin = {
  name: 'announced',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle, chunk }) {
      const fonts = Object.keys(bundle ?? {}).filter((file) => /-(next|mono)-latin-wght-normal-.*\.woff2$/.test(file));
      return [
        ...(chunk?.imports ?? []).map((file) => ({
          tag: 'link',
          injectTo: 'head' as const,
          attrs: { rel: 'modulepreload', crossorigin: true, href: `${base}${file}` },
        })),
        ...fonts.map((file) => ({
          tag: 'link',
          injectTo: 'head' as const,
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `${base}${file}` },
        })),
      ];
    },
  },
};

export default defineConfig({
  resolve: {
    // React has the hook itself: the shim for its older versions is left out.
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  root: fileURLToPath(new URL('.', import.meta.url)),
  base,
  plugins: [react(), announced],
  build: {
    outDir: fileURLToPath(new URL('../dist/ui', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The daemon's Content-Security-Policy allows no inline script and no data: font.
    assetsInlineLimit: 0,
    // One stylesheet and plain imports: no page is ever drawn before its styles, and no preloading code is shipped.
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What the first page needs travels in one piece: many small ones compress worse.
          groups: [{ name: 'base', test: (id: string) => shared.some((pattern) => pattern.test(id)) }],
        },
      },
    },
  },
  server: {
    proxy: {
      // The daemon answers only to its own origin, so the proxy speaks in its name.
      [apiPaths]: { target: daemon, changeOrigin: true, ws: true, headers: { origin: daemon } },
    },
  },
});
