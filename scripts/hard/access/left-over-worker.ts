/**
 * A development server leaves service workers of every kind that a browser keeps, and exits. The daemon then starts on
 * the same port. Each worker first serves a dashboard of its own. After at most one page load it must be gone together
 * with its storage, and the real dashboard must be shown.
 *
 * `npx tsx scripts/hard/access/left-over-worker.ts`
 */
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { REMOVAL_SCRIPT } from '../../../daemon/http/left-over-worker.js';
import { chromiumLaunch } from '../../../e2e/chromium.js';
import { hasChromium, Profile, serve } from '../browser.js';
import { type Drill, runDrill, until } from '../drill.js';

/**
 * The browser checks for a new script one second after the worker became idle, and installs it one second later. A busy
 * machine takes longer.
 */
const LIMIT_MS = 20_000;
/** A worker may be removed without reloading its page. After this time the user must reload it. */
const RELOADED_MS = 3_000;
const REGISTERED_MS = 2_000;

interface Kind {
  name: string;
  /** Path of the script. `scopes` are the scopes that it registers for; several scopes are several workers. */
  path: string;
  scopes: readonly string[];
  options?: { referrerPolicy?: string; staysBusy?: true; passesOn?: true };
  type?: 'module';
  /** The whole script, unless it is the hostile one. */
  script?: string;
  /** The script is cached, and the registration makes the browser use the cache when it checks for a change. */
  isCached?: true;
  /** The worker was written against this daemon. The dashboard cannot tell what it does until it is removed. */
  mayAct?: true;
}

const UNSEEN = { referrerPolicy: 'no-referrer' } as const;
const KINDS: readonly Kind[] = [
  { name: 'plain', path: '/sw.js', scopes: ['/'] },
  { name: 'unseen', path: '/sw.js', scopes: ['/'], options: UNSEEN, mayAct: true },
  { name: 'cached', path: '/sw.js', scopes: ['/'], isCached: true },
  { name: 'passing on', path: '/sw.js', scopes: ['/'], options: { passesOn: true } },
  { name: 'nested', path: '/app/sw.js', scopes: ['/app/'], options: UNSEEN, mayAct: true },
  { name: 'wide', path: '/deep/down/sw.js', scopes: ['/'], options: UNSEEN, mayAct: true },
  { name: 'on an API path', path: '/team', scopes: ['/'], options: UNSEEN, mayAct: true },
  { name: 'imported', path: '/imports.js', scopes: ['/'], options: UNSEEN, mayAct: true },
  { name: 'module', path: '/module.js', scopes: ['/'], type: 'module', options: UNSEEN, mayAct: true },
  { name: 'several', path: '/sw.js', scopes: ['/', '/app', '/app/team', '/other/'], options: UNSEEN, mayAct: true },
  { name: 'busy', path: '/sw.js', scopes: ['/'], options: { ...UNSEEN, staysBusy: true }, mayAct: true },
  { name: 'byte-identical', path: '/sw.js', scopes: ['/'], script: REMOVAL_SCRIPT },
];
/** The worker that is registered in a persistent profile and outlives the browser. */
const PERSISTENT = KINDS[1] as Kind;
const HOSTILE = readFileSync(fileURLToPath(new URL('./hostile-worker.mjs', import.meta.url)), 'utf8');

/** The development server. It serves the scripts of each kind; the query of the address names the kind. */
const answer: RequestListener = ({ url = '/', headers }, response) => {
  const at = new URL(url, 'http://127.0.0.1');
  const kind = KINDS.find(({ name }) => name === at.searchParams.get('kind'));
  if (headers['sec-fetch-dest'] === 'document' || kind === undefined)
    return response.setHeader('content-type', 'text/html').end('<!doctype html><title>development</title>');
  response.setHeader('content-type', 'text/javascript').setHeader('service-worker-allowed', '/');
  if (kind.isCached) response.setHeader('cache-control', 'max-age=31536000');
  const own = `const OPTIONS = ${JSON.stringify(kind.options ?? {})};\n${HOSTILE}`;
  const library = `/library.js${at.search}`;
  if (at.pathname === '/imports.js') return response.end(`importScripts(${JSON.stringify(library)});`);
  if (at.pathname === '/module.js') return response.end(`import ${JSON.stringify(library)};`);
  return response.end(kind.script ?? own);
};

const query = ({ name }: Kind) => `?kind=${encodeURIComponent(name)}`;

async function register(context: BrowserContext, address: string, kind: Kind): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${address}/${query(kind)}`);
  for (const scope of kind.scopes) {
    const options = JSON.stringify({
      scope,
      ...(kind.type && { type: kind.type }),
      ...(kind.isCached && { updateViaCache: 'all' }),
    });
    const added = `navigator.serviceWorker.register(${JSON.stringify(kind.path + query(kind))}, ${options})`;
    // The removal script unregisters during its installation, hence it may never become active.
    await page.evaluate(`${added}.then(async ({ installing }) => installing && new Promise((resolve) => {
      installing.onstatechange = () => /activated|redundant/.test(installing.state) && resolve();
      setTimeout(resolve, ${REGISTERED_MS});
    }))`);
  }
  await page.close();
}

const isReal = 'document.documentElement.dataset.seq !== undefined && navigator.serviceWorker.controller === null';
const hasNoWorker = 'navigator.serviceWorker.getRegistrations().then(({ length }) => length === 0)';
/**
 * Returns whether `expression` becomes true in the page within the limit. A page that is being reloaded has no context
 * for a moment.
 */
const holds = (page: Page, expression: string, limitMs: number) => {
  const look = () => page.evaluate<boolean>(expression).catch(() => false);
  return until(expression, limitMs, look, (found) => found).catch(() => false);
};

interface Left {
  kind: Kind;
  /** What the worker did before it was removed, or undefined when it served nothing. */
  did: string | undefined;
  ms: number;
  /** The page needed a reload by hand. */
  isByHand: boolean;
  faults: string[];
}

/** Opens the dashboard as a user does. Checks that page, the next page and each scope. */
async function openDashboard(context: BrowserContext, address: string, kind: Kind): Promise<Left> {
  const page = await context.newPage();
  const startedMs = performance.now();
  await page.goto(`${address}/app/`);
  const did = await page.evaluate<string | undefined>('document.documentElement.dataset.fake').catch(() => undefined);
  const faults: string[] = [];
  const isGone = await holds(page, hasNoWorker, LIMIT_MS);
  const isByHand = !isGone || !(await holds(page, isReal, RELOADED_MS));
  if (isByHand) await page.reload();
  if (isByHand && !(await holds(page, isReal, RELOADED_MS))) faults.push('serves its page after a reload');
  const ms = performance.now() - startedMs;
  for (const scope of kind.scopes.filter((one) => one.startsWith('/app'))) {
    await page.goto(address + scope);
    if (!(await page.evaluate<boolean>(isReal))) faults.push(`serves its page at ${scope}`);
  }
  const kept = await page.evaluate<string>(`(async () => JSON.stringify([
    (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope), await caches.keys(),
    navigator.serviceWorker.controller?.scriptURL ?? null]))()`);
  if (kept !== '[[],[],null]') faults.push(`left ${kept}`);
  if (did !== undefined && did !== 'nothing' && !kind.mayAct) faults.push(`did: ${did}`);
  await page.close();
  return { kind, did, ms, isByHand, faults };
}

/**
 * Registers each kind in a browser context of its own at `address`, and opens the dashboard in it once the daemon has
 * taken the port.
 */
async function tryKinds(drill: Drill, browser: Browser, port: number): Promise<Left[]> {
  const address = `http://127.0.0.1:${port}`;
  const development = await serve('127.0.0.1', port, answer);
  drill.atEnd(development.end);
  const profile = new Profile(drill);
  await register(await profile.open(), address, PERSISTENT);
  await profile.close();
  const contexts = await Promise.all(
    KINDS.map(async (kind) => {
      const context = await browser.newContext();
      await register(context, address, kind);
      return { context, kind };
    }),
  );
  await development.end();
  await drill.project().start({ MESHD_PORT: String(port) });
  const found = await Promise.all(contexts.map(({ context, kind }) => openDashboard(context, address, kind)));
  const again = { ...PERSISTENT, name: 'of an earlier browser' };
  return [...found, await openDashboard(await profile.open(), address, again)];
}

const describe = ({ kind, did, ms, isByHand }: Left) =>
  `${kind.name}: ${did ?? 'served nothing'}, gone in ${Math.round(ms)} ms${isByHand ? ' and a reload by hand' : ''}`;

await runDrill('left-over-worker', async (drill) => {
  const what = 'service workers in a real browser';
  if (!hasChromium(drill, what)) return;
  const free = await serve('127.0.0.1', 0, answer);
  await free.end();
  const browser = await chromium.launch(chromiumLaunch);
  drill.atEnd(() => browser.close());
  const found = await tryKinds(drill, browser, free.port);
  drill.none(
    `workers of an earlier program that are not gone after their first page, of ${found.length}`,
    'workers',
    found.flatMap(({ kind, faults }) => (faults.length > 0 ? [`${kind.name}: ${faults.join(', ')}`] : [])),
    found.map(describe).join('; '),
  );
});
