import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createServer, defineConfig, type Plugin } from 'vite';
import { writeDashboardData } from '../scripts/build/dashboard-data.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const base = '/app/';
const daemon = 'http://127.0.0.1:4747';
const apiPaths =
  '^/(team|tests|imports|exports|projects|requests|conversations|permissions|roadmap|receipts|rooms|v1|agents?|registrations|ledger|calls|approvals|wallets|clusters|map|health|history|doctor|foreign-state|database|chain|clients|preferences|project|logs|versions|licenses|support-bundle|events|openapi\\.json|docs)(/|\\?|$)';

/** What every page needs: libraries, the shell with the first page, the plain components and their reads. */
const shared = [
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/(?!.*(useBlocker|useInfiniteQuery|useMutation|(infiniteQuery|mutation)Observer))/,
  /\/ui\/app\/(?!pages\/(?!desk-page)|desk\/|comforts\/|command|first-run|notices|notifier|shortcut-sheet)/,
  /\/client\/(api-error|call|daemon|events-line|query|reconnect-policy|timers)\.ts/,
  /\/ui\/lib\/(?!time-words|use-chosen|use-escape|line-diff|long-words|deletions|pages|hashtags|key-choice|download|lamports|outside-address|drawn-rows|use-drawn-rows|paced-frames|use-back)/,
  /\/ui\/components\/(?!time|markdown|diff|dialog|code-block|field|tooltip|exact-ago|badge|segments|notes|tones|older-rows|entry|decision-question|settled-field|typed-deletion|status-mark|presence-mark|meter|loaded|outside-link|long-words|pending-deletion|stop-button|in-terminal|command-words)/,
  /\/ui\/features\/(team\/team-queries|system\/system-queries|conversations\/conversations-queries|roadmap\/roadmap-key|asks\/asks-queries|rooms\/rooms-list)/,
];

/** What the Desk shows once it knows what there is: it is fetched while the first answers are on their way, in one piece as well. */
const desk =
  /\/ui\/(app\/desk\/|components\/(entry|badge|decision-question|status-mark|presence-mark|meter|loaded|outside-link)|lib\/(key-choice|lamports|outside-address)|features\/(asks\/(request-row|request-head|citation-words)|conversations\/(working-|permission-|conversation-(words|mutations))))|\/@tanstack\/.*(useMutation|mutationObserver)/;

/** Names in the page's head what the browser would otherwise find out about one answer later: the entry's imports, what it begins with a frame later, the Desk, and the two fonts. */
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
 * Dynamic imports that outlast a restart of the daemon. They take the place of the bundler's helper, which looks for
 * stylesheets and scripts to fetch beforehand, of which a build without split styles names none.
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

/** Draws the frame into the page, as it stands before anything is known: it is seen while the script is still on its way. */
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

/** Where data is put together that pages fetch when they first need it: `#data/gazetteer.bin?url` is its address. */
const dataFolder = fileURLToPath(new URL('../node_modules/.cache/meshd/dashboard-data', import.meta.url));
const dashboardData: Plugin = { name: 'dashboard-data', buildStart: () => writeDashboardData(dataFolder) };

export default defineConfig({
  resolve: {
    alias: {
      // React has the hook itself: the shim for its older versions is left out.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
      // Its edition for browsers decodes `&amp;` by `innerHTML`, which the policy of the pages forbids: Markdown with an entity in it would not be drawn.
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
    // One stylesheet and plain imports: no page is ever drawn before its styles, and no preloading code is shipped.
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What the first page needs travels in one piece: many small ones compress worse.
          groups: [
            // What the page begins with waits for nothing else.
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
      // The daemon answers only to its own origin, so the proxy speaks in its name.
      [apiPaths]: { target: daemon, changeOrigin: true, ws: true, headers: { origin: daemon } },
    },
  },
});
