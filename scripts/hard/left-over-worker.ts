/**
 * A development server on a port leaves in browsers what one can leave, and ends: service workers of every kind that a
 * browser keeps, open tabs, cached
 * scripts; the daemon starts on its port. After one page at most the workers must be gone, with what they stored, and
 * the real dashboard be there; until then
 * and afterwards nothing of it may read or change anything as the operator. Each tells a server of the drill what it
 * could do.
 * `npx tsx scripts/hard/left-over-worker.ts`.
 */
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { chromiumLaunch } from '../../e2e/chromium.js';
import { hasChromium, Profile, serve } from './browser.js';
import { type Drill, runDrill, until } from './drill.js';
import { assetsOf, KINDS, type Kind, queryOf, swappedOf, tabOf, workerOf } from './left-over-kinds.js';

/** The browser looks for a new script a second after the worker went idle, and installs it a second later; a busy machine takes longer. */
const LIMIT_MS = 20_000;
/** A worker that is gone without having reloaded its page leaves that to whoever looks at it. */
const RELOADED_MS = 3_000;
const REGISTERED_MS = 2_000;

/** Survives the browser that registered it. */
const PERSISTENT = KINDS[1] as Kind;
const DAEMON = process.env['MESHD_DRILL_DAEMON'] ?? fileURLToPath(new URL('../../dist/daemon.js', import.meta.url));
/** The time in which an open tab tries what it can. */
const TAB_MS = 6_000;

/**
 * The development server: each kind's scripts, below an address that names the kind. What they could do they tell at
 * `report`.
 */
const development =
  (report: string): RequestListener =>
  ({ url = '/', headers }, response) => {
    response.setHeader('x-hostile', '1');
    const at = new URL(url, 'http://127.0.0.1');
    const kind = KINDS.find(({ name, poisons }) =>
      at.pathname.startsWith('/app/assets/') ? poisons : name === at.searchParams.get('kind'),
    );
    if (headers['sec-fetch-dest'] === 'document' || kind === undefined) {
      if (kind?.tab) response.setHeader('cross-origin-opener-policy', kind.tab);
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>development</title><body>');
    }
    response.setHeader('content-type', 'text/javascript').setHeader('service-worker-allowed', '/');
    if (kind.isCached || kind.poisons) response.setHeader('cache-control', 'max-age=31536000');
    const library = `/library.js${at.search}`;
    if (at.pathname === '/imports.js') return response.end(`importScripts(${JSON.stringify(library)});`);
    if (at.pathname === '/module.js') return response.end(`import ${JSON.stringify(library)};`);
    return response.end(kind.poisons ? swappedOf(kind, report) : workerOf(kind, report));
  };

/** The tab that stays open, where the kind has one. */
async function leave(context: BrowserContext, address: string, kind: Kind, report: string): Promise<Page | undefined> {
  const page = await context.newPage();
  await page.goto(`${address}/${queryOf(kind)}`);
  if (kind.poisons) await page.evaluate(`Promise.all(${JSON.stringify(assetsOf(DAEMON))}.map((path) => fetch(path)))`);
  if (kind.isCached) await page.evaluate(`fetch(${JSON.stringify(kind.path + queryOf(kind))})`);
  for (const scope of kind.scopes) {
    const options = JSON.stringify({
      scope,
      ...(kind.type && { type: kind.type }),
      ...(kind.isCached && { updateViaCache: 'all' }),
    });
    const added = `navigator.serviceWorker.register(${JSON.stringify(kind.path + queryOf(kind))}, ${options})`;
    // The removal script unregisters while it is installed, and may never be active.
    await page.evaluate(`${added}.then(async ({ installing }) => installing && new Promise((resolve) => {
      installing.onstatechange = () => /activated|redundant/.test(installing.state) && resolve();
      setTimeout(resolve, ${REGISTERED_MS});
    }))`);
  }
  if (kind.tab) {
    await page.evaluate(`(() => { ${tabOf(kind, report)} })()`);
    return page;
  }
  await page.close();
  return undefined;
}

const isReal = 'document.documentElement.dataset.seq !== undefined && navigator.serviceWorker.controller === null';
const hasNone = 'navigator.serviceWorker.getRegistrations().then(({ length }) => length === 0)';
/** Whether `expression` holds in the page within the limit. One that is being reloaded has no context for a moment. */
const holds = (page: Page, expression: string, limitMs: number) => {
  const look = () => page.evaluate<boolean>(expression).catch(() => false);
  return until(expression, limitMs, look, (found) => found).catch(() => false);
};

interface Left {
  kind: Kind;
  /** Whether a page of its own was served first. */
  isFake: boolean;
  ms: number;
  /** The page did not come back by itself. */
  isByHand: boolean;
  faults: string[];
}

/** Opens the dashboard as people do, and looks at what there is then, at the next page and at each scope. */
async function openDashboard(context: BrowserContext, address: string, kind: Kind): Promise<Left> {
  const page = await context.newPage();
  const startedMs = performance.now();
  await page.goto(`${address}/app/`);
  const isFake = await page.evaluate<boolean>('document.documentElement.dataset.fake === ""').catch(() => false);
  const faults: string[] = [];
  const isGone = await holds(page, hasNone, LIMIT_MS);
  const isByHand = !isGone || !(await holds(page, isReal, RELOADED_MS));
  if (isByHand) await page.reload();
  if (isByHand && !(await holds(page, isReal, RELOADED_MS))) faults.push('serves its page after a reload');
  const ms = performance.now() - startedMs;
  for (const scope of kind.scopes.filter((one) => one.startsWith('/app'))) {
    await page.goto(address + scope);
    if (!(await page.evaluate<boolean>(isReal))) faults.push(`serves its page at ${scope}`);
  }
  const isRid = `(async () => (await navigator.serviceWorker.getRegistrations()).length === 0
    && (await caches.keys()).length === 0 && navigator.serviceWorker.controller === null)()`;
  if (!(await holds(page, isRid, RELOADED_MS))) faults.push('left workers or caches');
  await page.close();
  return { kind, isFake, ms, isByHand, faults };
}

/**
 * Leaves each kind in a browser of its own with `address`, and opens the dashboard in it once the daemon has the port.
 */
async function tryKinds(drill: Drill, browser: Browser, port: number, report: string): Promise<Left[]> {
  const address = `http://127.0.0.1:${port}`;
  const server = await serve('127.0.0.1', port, development(report));
  drill.atEnd(server.end);
  const profile = new Profile(drill);
  await leave(await profile.open(), address, PERSISTENT, report);
  await profile.close();
  const browsers = await Promise.all(
    KINDS.map(async (kind) => {
      const context = await browser.newContext();
      return { context, kind, tab: await leave(context, address, kind, report) };
    }),
  );
  await server.end();
  await drill.project().start({ MESHD_PORT: String(port) });
  const found = await Promise.all(
    browsers.map(async ({ context, kind, tab }) => {
      const attack = tab?.evaluate('attack()').catch(() => undefined);
      const left = await openDashboard(context, address, kind);
      await Promise.race([attack, new Promise((resolve) => setTimeout(resolve, TAB_MS))]);
      return left;
    }),
  );
  const again = { ...PERSISTENT, name: 'of an earlier browser' };
  return [...found, await openDashboard(await profile.open(), address, again)];
}

/** A server of its own, which the scripts tell what they could do. */
async function hear(drill: Drill) {
  const told = new Set<string>();
  const server = await serve('127.0.0.1', 0, (request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      told.add(text);
      response.end();
    });
  });
  drill.atEnd(server.end);
  return { told, report: `http://127.0.0.1:${server.port}/` };
}

const describe = ({ kind, isFake, ms, isByHand }: Left) =>
  `${kind.name}: ${isFake ? 'served a page' : 'served nothing'}, gone in ${Math.round(ms)} ms${isByHand ? ' and a reload by hand' : ''}`;

await runDrill('left-over-worker', async (drill) => {
  const what = 'service workers in a real browser';
  if (!hasChromium(drill, what)) return;
  const { told, report } = await hear(drill);
  const free = await serve('127.0.0.1', 0, development(report));
  await free.end();
  const browser = await chromium.launch(chromiumLaunch);
  drill.atEnd(() => browser.close());
  const found = await tryKinds(drill, browser, free.port, report);
  drill.none(
    `what an earlier program left that is not gone after its first page, of ${found.length}`,
    'kinds',
    found.flatMap(({ kind, faults }) => (faults.length > 0 ? [`${kind.name}: ${faults.join(', ')}`] : [])),
    found.map(describe).join('; '),
  );
  drill.none(`what it read or did as the operator, of ${found.length} kinds`, 'acts', [...told]);
});
