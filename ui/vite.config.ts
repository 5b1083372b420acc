import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createServer, defineConfig, type Plugin } from 'vite';
import { writeDashboardData } from '../scripts/build/dashboard-data.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const base = '/app/';
const daemon = 'http://127.0.0.1:4747';
const apiPaths =
  '^/(team|tests|imports|exports|projects|requests|conversations|permissions|roadmap|schedules|budgets|worktrees|receipts|rooms|v1|agents?|registrations|ledger|calls|approvals|wallets|clusters|map|network|health|history|doctor|foreign-state|other-users|usage|telemetry|metrics|database|chain|clients|preferences|project|logs|versions|licenses|support-bundle|events|openapi\\.json|docs)(/|\\?|$)';

/**
 * Modules below these folders that the first page does not need, by the beginning of their paths. The build fails when
 * one of them is the beginning of no module's path.
 */
const LATER: Readonly<Record<string, readonly string[]>> = {
  'ui/lib': [
    ...[
      'format/format-model',
      'format/format-reason',
      'format/time-format',
      'format/line-diff',
      'format/split-long-text',
      'format/hashtags',
      'format/lamports',
      'format/plain-preview',
    ],
    ...['change-draft', 'deletions', 'download', 'drawn-rows', 'keys/is-escape', 'keys/key-choice', 'keys/use-escape'],
    ...['outside-address', 'page', 'paced-frames', 'shell-words', 'use-back', 'use-chosen', 'use-closing'],
    ...['use-drawn-rows', 'use-look-changes', 'use-media'],
  ],
  'ui/components': [
    ...['text/breakable-text', 'text/code-block', 'text/command-text', 'text/diagram', 'text/diff', 'text/exact-ago'],
    ...['text/in-terminal', 'text/markdown', 'text/outside-link', 'text/prose', 'text/time'],
    ...[
      'badge',
      'daemon-gone',
      'decision-question',
      'dialog',
      'entry',
      'field',
      'loaded',
      'meter',
      'notes',
      'older-rows',
      'options',
      'rows',
    ],
    ...['pending-deletion', 'presence-mark', 'segments', 'settled-field', 'status-mark', 'stop-button', 'tones'],
    ...['tooltip', 'typed-deletion', 'view-link'],
  ],
};

/** Modules of the home page's body, by the beginning of their paths. */
const HOME: readonly string[] = [
  'ui/app/desk/',
  'ui/app/find-answerer',
  ...[
    'badge',
    'decision-question',
    'entry',
    'field',
    'loaded',
    'meter',
    'presence-mark',
    'status-mark',
    'text/outside-link',
  ].map((name) => `ui/components/${name}`),
  ...['budget-format', 'budget-need', 'budget-question', 'budgets-mutations'].map(
    (name) => `ui/features/budgets/${name}`,
  ),
  ...[
    'format/format-reason',
    'format/lamports',
    'keys/is-escape',
    'keys/key-choice',
    'outside-address',
    'use-chosen',
  ].map((name) => `ui/lib/${name}`),
  ...['ask-box/ask-', 'citation-format', 'request-head', 'request-row'].map((name) => `ui/features/asks/${name}`),
  ...[
    'composer/composer-keys',
    'conversation-format',
    'conversation-mutations',
    'list/unused-talks',
    'list/working-',
    'permission-',
    'use-message-keys',
  ].map((name) => `ui/features/conversations/${name}`),
];

/** Queries of the features that the shell runs. */
const SHELL_QUERIES: readonly string[] = [
  'ui/features/asks/asks-queries',
  'ui/features/budgets/budgets-query',
  'ui/features/clusters/clusters-list',
  'ui/features/conversations/conversations-queries',
  'ui/features/payments/ledger-totals-query',
  'ui/features/payments/payments-keys',
  'ui/features/roadmap/roadmap-key',
  'ui/features/schedules/schedule-needs-query',
  'ui/features/system/system-queries',
  'ui/features/team/team-queries',
];

/**
 * The chunk that every page needs: libraries, the shell with the first page, the basic components and their queries.
 */
const shared = [
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/(?!.*(useBlocker|useInfiniteQuery|useMutation|useQueries|(infiniteQuery|mutation|queries)Observer))/,
  /\/ui\/app\/(?!pages\/(?!desk-page)|desk\/|comforts\/|command|find-answerer|first-run|shown-file|notices|notifier|offline-notice|shortcut-sheet)/,
  /\/daemon\/client\/(api-error|call|daemon|events-line|query|reconnect-policy|reconnecting-line|timers)\.ts/,
  ...Object.entries(LATER).map(([folder, names]) => new RegExp(`/${folder}/(?!${names.join('|')})`)),
  new RegExp(`/(${SHELL_QUERIES.join('|')})`),
];

/**
 * The name of a CSS module's class in the pages: the same suffix for all classes of a file. Vite's default adds a line
 * number, which compresses badly.
 */
const scopedName = (name: string, file: string) =>
  `${name}_${createHash('sha256').update(relative(root, file)).digest('hex').slice(0, 4)}`;

/** The chunk of the home page's body. It is loaded while the first responses are pending. */
const desk = new RegExp(`/(${HOME.join('|')})|/@tanstack/.*(useMutation|mutationObserver)`);

/** Fails the build when a module that the chunks name does not exist, because its code would land in another chunk. */
const chunkNames: Plugin = {
  name: 'chunk-names',
  apply: 'build',
  generateBundle() {
    const ids = [...this.getModuleIds()];
    const later = Object.entries(LATER).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`));
    for (const name of [...later, ...HOME, ...SHELL_QUERIES])
      if (!ids.some((id) => id.includes(`/${name}`)))
        this.error(`ui/vite.config.ts names ${name}: no module has that path.`);
  },
};

/**
 * Adds preload links to the page's head for what the browser would otherwise discover one response later: the entry's
 * imports, what the entry imports a frame later, the keyboard shortcuts, the home page, and the two fonts.
 */
const announced: Plugin = {
  name: 'announced',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle, chunk }) {
      const fonts = Object.keys(bundle ?? {}).filter((file) => /-(next|mono)-latin-wght-normal-.*\.woff2$/.test(file));
      const early = Object.values(bundle ?? {}).flatMap((part) =>
        part.type === 'chunk' && ['comforts', 'desk-body'].includes(part.name) ? part.fileName : [],
      );
      const late = [...(chunk?.dynamicImports ?? []), ...early].flatMap((file) => {
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
  css: { modules: { generateScopedName: scopedName } },
  plugins: [react(), firstFrame, announced, lastingImports, chunkNames, dashboardData],
  build: {
    outDir: fileURLToPath(new URL('../dist/ui', import.meta.url)),
    emptyOutDir: true,
    // The browsers' floor that README names.
    target: ['chrome150', 'firefox153'],
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
