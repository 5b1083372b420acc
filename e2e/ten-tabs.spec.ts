import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { here, lines, saveCluster, wall } from './a-cluster.js';
import { Peer } from './a-peer.js';
import { describeDeployer } from './a-roster.js';
import { BadLine } from './bad-line.js';
import { test as base, expect, expectLive, open, type Project } from './fixtures.js';

const CUTS = 50;
const PAGES = ['', '/team', '/team/deployer', '/requests', '/talk', '/roadmap', '/find', '/ledger', '/system'] as const;

const test = base.extend<{ line: BadLine; cutOff: BrowserContext }>({
  line: async ({ project }, use) => {
    const line = await BadLine.to(project.port);
    await use(line);
    line.close();
  },

  /** A browser that reaches the daemon only through the proxy, under the daemon's own address. */
  cutOff: async ({ project, line, playwright: _playwright }, use, info) => {
    const { launchOptions } = info.project.use;
    const detour = `--host-resolver-rules=MAP 127.0.0.1:${project.port} 127.0.0.1:${line.port}`;
    const browser = await chromium.launch({ ...launchOptions, args: [...(launchOptions?.args ?? []), detour] });
    await use(await browser.newContext());
    await browser.close();
  },
});

/** Returns the text of a page without relative times and amounts. */
const readVisibleText = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector('main')?.cloneNode(true) as HTMLElement;
    for (const passing of main.querySelectorAll('time, [role=status], [role=log], [aria-live], [aria-hidden=true]'))
      passing.remove();
    return (main.textContent ?? '').replace(/\d[\d.,]*( ?[a-zA-Z]+ ago| ?(ms|s|min|h|MB|kB))?/g, '#');
  });

interface Tabs {
  pages: readonly [Page, string][];
  team: Page;
  /** The tab with a live cluster, and what others need to join it. */
  room: Page;
  id: string;
  token: string;
}

/** Opens a tab for each of the pages and one for a live cluster. */
async function openTabs(cutOff: BrowserContext, project: Project): Promise<Tabs> {
  // The first steps stay below what was under way while a page was open; where they stand says nothing about the line.
  await project.api('PATCH', '/preferences', { first_run_dismissed: ['ask', 'bring', 'program'] });
  const { id, token } = await saveCluster(project, 'Night shift');
  const pages = await Promise.all(
    [...PAGES, `/rooms/${id}`].map(async (path): Promise<[Page, string]> => {
      const tab = await cutOff.newPage();
      await open(tab, project, path);
      return [tab, path];
    }),
  );
  const at = (wanted: string) => pages.find(([, path]) => path === wanted)?.[0] as Page;
  const cluster = at(`/rooms/${id}`);
  await expect(lines(cluster).first()).toContainText('Joined');
  return { pages, team: at('/team'), room: cluster, id, token };
}

/** Expects each tab to show the same as a newly opened one. */
async function expectFresh({ pages }: Tabs, fresh: Page, project: Project): Promise<void> {
  for (const [tab, path] of pages) {
    await expectLive(tab);
    await open(fresh, project, path);
    await expect(async () =>
      expect(await readVisibleText(tab), `${path} is as it is when one opens it`).toBe(await readVisibleText(fresh)),
    ).toPass();
  }
}

test('ten tabs on ten pages come through restarts, each as if it had just been opened', async ({
  page,
  cutOff,
  project,
}) => {
  const sockets = new Map<Page, number>();
  cutOff.on('page', (tab) =>
    tab.on('websocket', (socket) => socket.url().includes('/events') && sockets.set(tab, (sockets.get(tab) ?? 0) + 1)),
  );
  const pending = new Set<unknown>();
  cutOff.on('request', (request) => pending.add(request));
  cutOff.on('requestfinished', (request) => pending.delete(request));
  cutOff.on('requestfailed', (request) => pending.delete(request));
  const tabs = await openTabs(cutOff, project);
  expect(tabs.pages.map(([tab]) => sockets.get(tab))).toEqual(tabs.pages.map(() => 1));
  expect((await project.api<{ events_sockets: number }>('GET', '/health')).events_sockets).toBe(tabs.pages.length);
  await expect.poll(() => pending.size, 'nothing is held open over HTTP').toBe(0);

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await project.kill(signal);
    for (const [tab] of tabs.pages)
      await expect(tab.getByText(/^(Offline — showing \d\d:\d\d|Catching up)$/)).toBeVisible();
    await expect(tabs.room.getByText(/^Disconnected since/)).toBeVisible();
    describeDeployer(project, `Changed while nobody answered to ${signal}.`);
    await project.start();
    for (const [tab] of tabs.pages) await expectLive(tab);
    await expect(tabs.team.getByText(`Changed while nobody answered to ${signal}.`)).toBeVisible();
  }
  await expect(tabs.room.getByText(/^Disconnected since/)).toBeHidden();
  await expectFresh(tabs, page, project);
});

test('ten tabs whose lines are cut fifty times end as if they had just been opened', async ({
  page,
  cutOff,
  line,
  project,
}) => {
  const tabs = await openTabs(cutOff, project);
  const ada = await Peer.join(project, tabs.id, 'ada', tabs.token);
  await expect(here(tabs.room)).toContainText('ada');
  line.delayMs = 5;
  for (let cut = 1; cut <= CUTS; cut += 1) {
    await expect.poll(() => line.sockets).toBeGreaterThan(0);
    line.cutOldest();
    describeDeployer(project, `Cut ${cut} times.`);
    ada.say(`said after cut ${cut}.`);
    if (cut % 10 === 0) await project.ask('consultant', `Which port, asked after cut ${cut}?`);
  }
  line.delayMs = 0;
  for (const [tab] of tabs.pages) await expectLive(tab);
  await expect(tabs.room.getByText(/^Disconnected since/)).toBeHidden();
  // Nothing on a Wall is stored: messages sent during a cut are missing, and the others appear once, in order.
  ada.say('said at the end.');
  await expect(wall(tabs.room)).toContainText('said at the end.');
  const received = [...(await wall(tabs.room).innerText()).matchAll(/said after cut (\d+)\./g)].map(([, cut]) =>
    Number(cut),
  );
  expect(received).toEqual([...new Set(received)].sort((a, b) => a - b));
  await expectFresh(tabs, page, project);
  ada.leave();
});

test('a line that stands still is found dead, and a long outage ends by itself', async ({ cutOff, line, project }) => {
  const { id, token } = await saveCluster(project, 'Night shift');
  const tab = await cutOff.newPage();
  const cluster = await cutOff.newPage();
  for (const one of [tab, cluster]) await one.clock.install();
  await open(tab, project, '/team');
  await open(cluster, project, `/rooms/${id}`);
  await expect(lines(cluster).first()).toContainText('Joined');
  const offline = tab.getByText(/^Offline — showing \d\d:\d\d$/);
  const cut = cluster.getByText(/^Disconnected since \d\d:\d\d/);
  line.hold();
  describeDeployer(project, 'Changed behind a line that stood still.');
  // Twice the allowed silence: the second time for the socket that replaces the first one.
  await expect(async () => {
    for (const one of [tab, cluster]) await one.clock.fastForward(26_000);
    await expect(offline).toBeVisible({ timeout: 500 });
    await expect(cut).toBeVisible({ timeout: 500 });
  }).toPass();
  line.heal();
  for (const one of [tab, cluster]) await one.clock.fastForward(15_000);
  await expectLive(tab);
  await expect(tab.getByText('Changed behind a line that stood still.')).toBeVisible();
  const ada = await Peer.join(project, id, 'ada', token);
  await expect(here(cluster)).toContainText('ada');
  ada.say('heard again.');
  await expect(wall(cluster)).toContainText('heard again.');

  await project.kill('SIGKILL');
  for (let wait = 0; wait < 8; wait += 1) {
    for (const one of [tab, cluster]) await one.clock.fastForward(15_000);
    await expect(offline).toBeVisible();
    await expect(cut).toBeVisible();
  }
  describeDeployer(project, 'Changed during a long outage.');
  await project.start();
  await tab.clock.fastForward(15_000);
  await expectLive(tab);
  await expect(tab.getByText('Changed during a long outage.')).toBeVisible();
});
