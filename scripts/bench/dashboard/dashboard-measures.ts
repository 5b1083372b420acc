import type { Page } from '@playwright/test';
import type { Health } from '../../../daemon/contract/system.js';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import { type Measure, median, quantile } from '../measure.js';
import {
  firstPaintMs,
  heapMb,
  interactiveMs,
  lateMs,
  measureFrames,
  measureInteractions,
  probe,
  watchStamps,
} from './dashboard-probes.js';
import type { DashboardWorld } from './dashboard-world.js';
import { barePage, barePaintMs } from './machine-rest.js';

/**
 * One figure: its value, and the highest or lowest value that is good enough. A goal goes beyond the budgets: it is
 * only reported and not required of a machine without a graphics card.
 */
export type Figure = Pick<Measure, 'measure' | 'unit' | 'ours' | 'rounds' | 'peer'> & { isGoal?: true } & (
    | { atMost: number }
    | { atLeast: number }
  );

const LINES = 10_000;
const REQUESTS = 5_000;
const WALL_PER_SECOND = 200;
const STREAMS = 20;
/**
 * The first loads also warm up the daemon and the browser's processes; more than half of the loads follow after that.
 */
const LOADS = 9;
const SPEAKERS = 26;
/** A frame interval longer than this is a missed frame at 60 frames a second. */
const MISSED_MS = 25;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the two figures about the frames of a period. */
function frameFigures(measure: string, deltas: readonly number[]): Figure[] {
  const all = deltas.reduce((sum, delta) => sum + delta, 0);
  const onTime = deltas.reduce((sum, delta) => sum + (delta < MISSED_MS ? delta : 0), 0);
  return [
    {
      measure: `${measure}: frames a second, half of them`,
      unit: '/s',
      ours: 1_000 / median(deltas),
      rounds: deltas.length,
      atLeast: 59,
    },
    {
      measure: `${measure}: time in frames that were on time`,
      unit: '%',
      ours: (100 * onTime) / all,
      rounds: deltas.length,
      atLeast: 90,
      isGoal: true,
    },
  ];
}

/**
 * Measures first paint and interactivity of the home page in a browser that has never loaded it, and of a bare page in
 * the same rounds.
 */
export async function paints(world: DashboardWorld, when = ''): Promise<Figure[]> {
  // One-time work of the daemon after its start is not a cost of the page.
  while ((await world.api<Health>('GET', '/health')).knowledge.state === 'indexing') await pause(50);
  const bare = await barePage();
  const took = { bare: [] as number[], paint: [] as number[], interactive: [] as number[] };
  try {
    for (let load = -1; load < LOADS; load += 1) {
      const bareMs = await barePaintMs(world, bare.address);
      const page = await world.newPage();
      await probe(page);
      await page.goto(`${world.address}/app`);
      const [paintMs, readyMs] = [await firstPaintMs(page), await interactiveMs(page)];
      await page.close();
      // The first load also starts the browser's processes.
      if (load < 0) continue;
      took.bare.push(bareMs);
      took.paint.push(paintMs);
      took.interactive.push(readyMs);
    }
  } finally {
    bare.close();
  }
  return [
    {
      measure: `first contentful paint${when}`,
      unit: 'ms',
      ours: median(took.paint),
      peer: { name: 'a bare page', value: Math.round(median(took.bare)) },
      rounds: LOADS,
      atMost: 300,
    },
    {
      measure: `interactive: the Desk drawn and free${when}`,
      unit: 'ms',
      ours: median(took.interactive),
      rounds: LOADS,
      atMost: 600,
    },
  ];
}

/** Types and clicks in a live cluster like a user who writes and navigates. Returns the number of interactions. */
async function workInCluster(page: Page): Promise<number> {
  const words = page.getByRole('textbox', { name: /^Message to/ });
  await words.click();
  const text = 'Are the lights on?';
  for (const key of text) await page.keyboard.press(key === ' ' ? 'Space' : key);
  await page.keyboard.press('Enter');
  for (let time = 0; time < 3; time += 1) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    // A key pressed before the dialog has closed would go to that dialog.
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  const tabs = page.getByRole('navigation', { name: 'Harbour crew' });
  for (const name of ['Rules', 'Wall', 'Share', 'Wall'])
    await tabs.getByRole('link', { name: new RegExp(`^${name}`) }).click();
  return 1 + text.length + 1 + 6 + 4;
}

/** Turns the mouse wheel up and down over the element under the pointer, as fast as a user who looks for something. */
async function scroll(page: Page, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await page.mouse.wheel(0, turn % 16 < 8 ? -500 : 500);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
}

/** Lets many speakers fill the Wall of a cluster as fast as the daemon accepts. Returns the speakers. */
async function fillWall(world: DashboardWorld, id: string): Promise<((text: string) => void)[]> {
  const speakers = await Promise.all(Array.from({ length: SPEAKERS }, (_, n) => world.speaker(id, `speaker${n}`)));
  const allHeard = await world.listener(id);
  // Each speaker sends as many messages at once as the daemon accepts in a burst.
  for (let count = 0; count < LINES; count += 1)
    speakers[count % SPEAKERS]?.(`line ${count}: the **${count % 7}** lamps of pier ${count % 40} are on`);
  await allHeard(LINES);
  speakers[0]?.('that was all');
  return speakers;
}

/**
 * Measures a live cluster with the maximum number of lines that a tab keeps, 200 more a second and 20 conversations
 * that stream into the tab: interactions, frames and the delay of lines.
 */
export async function cluster(world: DashboardWorld): Promise<Figure[]> {
  const id = await world.room();
  const page = await world.newPage();
  await probe(page);
  await world.open(page, `/rooms/${id}`);
  const wall = page.getByRole('log', { name: 'Wall' });
  await wall.waitFor();
  const speakers = await fillWall(world, id);
  await wall.getByText('that was all').waitFor({ timeout: 120_000 });
  await world.streams(STREAMS, 120, 100);
  world.steadily(WALL_PER_SECOND, (count) =>
    speakers[count % SPEAKERS]?.(count % 20 === 0 ? `at${Date.now()}` : `more ${count}: pier **${count % 40}** is lit`),
  );
  // Compilation and loading in the first second are not part of the steady state.
  await pause(2_000);
  await watchStamps(page, '[role=log]');
  const followed = await measureFrames(page, () => pause(3_000).then(() => undefined));
  const late = await lateMs(page);
  let made = 0;
  const interactions = await measureInteractions(page, 30, async () => {
    made = await workInCluster(page);
  });
  await wall.hover();
  const scrolled = await measureFrames(page, () => scroll(page, 90));
  const heap = await heapMb(page);
  await page.close();
  const under = `at ${LINES.toLocaleString('en')} lines, ${WALL_PER_SECOND}/s and ${STREAMS} streams`;
  return [
    {
      measure: `interaction to next paint, p75, ${under}`,
      unit: 'ms',
      ours: quantile(interactions, 0.75),
      rounds: made,
      atMost: 100,
    },
    {
      measure: 'said to drawn in another tab, p95, under the same',
      unit: 'ms',
      ours: quantile(late, 0.95),
      rounds: late.length,
      atMost: 100,
      isGoal: true,
    },
    {
      measure: 'said to drawn in another tab, p50, under the same',
      unit: 'ms',
      ours: median(late),
      rounds: late.length,
      atMost: 100,
    },
    ...frameFigures('the Wall, followed', followed),
    ...frameFigures('the Wall, scrolled', scrolled),
    { measure: 'heap of the tab after it', unit: 'MB', ours: heap, rounds: 1, atMost: 150 },
  ];
}

/** Fills the store with copies of one answered request. */
async function seedRequests(world: DashboardWorld): Promise<void> {
  world.agent.plays({ text: 'At dusk.' });
  const { request_id } = await world.ask('When are the lights on?');
  while ((await world.api<{ status: string }>('GET', `/requests/${request_id}`)).status !== 'done') await pause(20);
  await world.betweenDaemons((path) => {
    const database = openSqlite(path);
    const columns = (database.pragma('table_info(asks)') as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== 'seq');
    const values = columns.map((name) => (name === 'request_id' ? "'ask_' || lower(hex(randomblob(8)))" : name));
    database.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${REQUESTS})
       INSERT INTO asks (${columns.join()}) SELECT ${values.join()} FROM asks, n WHERE asks.seq = 1`,
    );
    database.close();
  });
}

/** Measures the list of 5,000 requests while it is scrolled and asks arrive. */
export async function requests(world: DashboardWorld): Promise<Figure[]> {
  await seedRequests(world);
  // An agent program that is started several times a second is not a cost of the page.
  await world.api('PATCH', '/team/consultant', { client: 'builtin' });
  const page = await world.newPage();
  await probe(page);
  await world.open(page, '/requests');
  const older = page.getByRole('button', { name: 'Show older' });
  const shown = page.getByText(/^[\d,]+ shown/);
  await older.waitFor();
  while ((await older.count()) > 0) {
    const before = (await shown.textContent()) ?? '';
    await older.evaluate((button: HTMLElement) => button.click());
    await page.getByText(before, { exact: true }).waitFor({ state: 'detached' });
  }
  const rows = await page.locator('main [data-row]').count();
  await watchStamps(page, 'main');
  // At the top of the list new rows are shown at once.
  await page.evaluate(() => window.scrollTo(0, 0));
  for (let time = 0; time < 10; time += 1) {
    await world.ask(`Is it dark at${Date.now()}?`);
    await pause(300);
  }
  const late = await lateMs(page);
  await page.getByRole('list', { name: 'Requests' }).hover();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2));
  const stop = world.steadily(4, (count) => void world.ask(`And now, ${count}?`).catch(() => undefined));
  const scrolled = await measureFrames(page, () => scroll(page, 90));
  stop();
  await page.close();
  const list = `${REQUESTS.toLocaleString('en')} requests`;
  return [
    ...frameFigures(`${list}, scrolled while asks come in`, scrolled),
    { measure: `asked to drawn above ${list}, p50`, unit: 'ms', ours: median(late), rounds: late.length, atMost: 100 },
    {
      measure: `asked to drawn above ${list}, p75`,
      unit: 'ms',
      ours: quantile(late, 0.75),
      rounds: late.length,
      atMost: 100,
      isGoal: true,
    },
    { measure: `rows of ${list} that are drawn`, unit: '', ours: rows, rounds: 1, atMost: 200 },
  ];
}
