import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createServer, defineConfig, type Plugin } from 'vite';
import { writeDashboardData } from '../scripts/build/dashboard-data.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const base = '/app/';
const daemon = 'http://127.0.0.1:4747';
const apiPaths =
  '^/(team|tests|imports|exports|projects|requests|conversations|permissions|roadmap|receipts|rooms|v1|agents?|registrations|ledger|calls|approvals|wallets|clusters|map|health|history|doctor|foreign-state|database|chain|clients|preferences|project|logs|versions|licenses|support-bundle|events|openapi\\.json|docs)(/|\\?|$)';

/**
 * The chunk that every page needs: libraries, the shell with the first page, the basic components and their queries.
 */
const shared = [
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/(?!.*(useBlocker|useInfiniteQuery|useMutation|(infiniteQuery|mutation)Observer))/,
  /\/ui\/app\/(?!pages\/(?!desk-page)|desk\/|comforts\/|command|first-run|notices|notifier|shortcut-sheet)/,
  /\/client\/(api-error|call|daemon|events-line|query|reconnect-policy|timers)\.ts/,
  /\/ui\/lib\/(?!time-words|use-chosen|use-escape|line-diff|long-words|deletions|pages|hashtags|key-choice|download|lamports|outside-address|drawn-rows|use-drawn-rows|paced-frames|use-back)/,
  /\/ui\/components\/(?!time|markdown|diff|dialog|code-block|field|tooltip|exact-ago|badge|segments|notes|tones|older-rows|entry|decision-question|settled-field|typed-deletion|status-mark|presence-mark|meter|loaded|outside-link|long-words|pending-deletion|stop-button|in-terminal|command-words)/,
  /\/ui\/features\/(team\/team-queries|system\/system-queries|conversations\/conversations-queries|roadmap\/roadmap-key|asks\/asks-queries|rooms\/rooms-list)/,
];

/** The chunk of the home page's body. It is loaded while the first responses are pending. */
const desk =
  /\/ui\/(app\/desk\/|components\/(entry|badge|decision-question|status-mark|presence-mark|meter|loaded|outside-link)|lib\/(key-choice|lamports|outside-address)|features\/(asks\/(request-row|request-head|citation-words)|conversations\/(working-|permission-|conversation-(words|mutations))))|\/@tanstack\/.*(useMutation|mutationObserver)/;

/**
 * Adds preload links to the page's head for what the browser would otherwise discover one response later: the entry's
 * imports, what the entry imports a frame later, the home page, and the two fonts.
 */
const announced: Plugin = {
  name: 'announced',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle, chunk }) {
      const fonts = Object.keys(bundle ?? {}).filter((file) => /-(next|mono)-latin-wght-normal-.*\.woff2$/.test(file));
      const deskBody = Object.values(bundle ?? {}).flatMap((part) =>
        part.type === 'chunk' && part.name === 'desk-body' ? part.fileName : [],
      );
      const late = [...(chunk?.dynamicImports ?? []), ...deskBody].flatMap((file) => {
        const part = bundle?.[file];
        return part?.type === 'chunk' ? [file, ...part.imports] : [];
      });
      const scripts = new Set([...(chunk?.imports ?? []), ...late]);
      return [
        ...Array.from(scripts, (file) => ({
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

const untilServed = `import { untilServed } from '${root}lib/until-served.ts';`;

/**
 * Makes dynamic imports survive a restart of the daemon. It replaces Vite's helper that preloads stylesheets and
 * scripts, of which a build without CSS splitting has none.
 */
const lastingImports: Plugin = {
  name: 'lasting-imports',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js'
      ? `${untilServed} export const __vitePreload = (load) => untilServed(load);`
      : undefined,
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
    const imported = new Set(chunks.flatMap(({ imports }) => imports));
    for (const { fileName, isDynamicEntry } of chunks)
      if (isDynamicEntry && imported.has(fileName))
        this.error(`${fileName} is imported both statically and dynamically: imported again, it would be there twice.`);
  },
};

/** Renders the frame without data into the page, so that it is shown while the script loads. */
const firstFrame: Plugin = {
  name: 'first-frame',
  apply: 'build',
  async transformIndexHtml(html) {
    const vite = await createServer({
      root,
      configFile: false,
      appType: 'custom',
      logLevel: 'warn',
      server: { middlewareMode: true, hmr: false, ws: false, watch: null },
      optimizeDeps: { noDiscovery: true },
    });
    try {
      const { frameHtml } = await vite.ssrLoadModule('/app/frame-html.tsx');
      return html.replace('<div id="first-frame" inert>', `$&${frameHtml()}`);
    } finally {
      await vite.close();
    }
  },
};

/** Folder of the data that pages load on demand; `#data/gazetteer.bin?url` is an address of one. */
const dataFolder = fileURLToPath(new URL('../node_modules/.cache/meshd/dashboard-data', import.meta.url));
const dashboardData: Plugin = { name: 'dashboard-data', buildStart: () => writeDashboardData(dataFolder) };

export default defineConfig({
  resolve: {
    alias: {
      // React includes the hook. This omits the shim for older versions.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
      // Its browser edition decodes `&amp;` with `innerHTML`, which the Content-Security-Policy of the pages forbids.
      // Markdown with an entity would not render.
      'decode-named-character-reference': fileURLToPath(import.meta.resolve('decode-named-character-reference')),
      '#data': dataFolder,
    },
  },
  root,
  base,
  plugins: [react(), firstFrame, announced, lastingImports, dashboardData],
  build: {
    outDir: fileURLToPath(new URL('../dist/ui', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The daemon's Content-Security-Policy allows no inline script and no data: font.
    assetsInlineLimit: 0,
    // One stylesheet and plain imports: a page is never rendered before its styles, and no preload code is shipped.
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The first page's modules are in one chunk, because many small ones compress worse.
          groups: [
            // The start of the page must not wait for anything else.
            { name: 'begin', test: /\/ui\/lib\/(until-served|left-over-workers)|preload-helper/, priority: 1 },
            { name: 'base', test: (id: string) => shared.some((pattern) => pattern.test(id)) },
            { name: 'desk', test: desk },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      // The daemon accepts only its own origin, so the proxy sets it.
      [apiPaths]: { target: daemon, changeOrigin: true, ws: true, headers: { origin: daemon } },
    },
  },
});
