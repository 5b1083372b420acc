/**
 * Measures the memory of a dashboard tab after long use: a Wall with constant messages that soon has the maximum number
 * of lines a tab keeps, streams, asks from other programs, conversations, and a user who navigates through all pages.
 * Twice a minute the garbage is collected and the remaining memory is measured. Usage:
 * `npx tsx scripts/bench/dashboard/dashboard-soak.ts [--minutes 30]`.
 */
import type { CDPSession, Page } from '@playwright/test';
import { report, rounded } from '../measure.js';
import { computeSlope } from '../straight-line.js';
import { DashboardWorld } from './dashboard-world.js';

const at = process.argv.indexOf('--minutes');
const MINUTES = at === -1 ? 30 : Number(process.argv[at + 1]);
const SAMPLE_MS = 30_000;
/** Fast enough that the tab has the maximum number of lines (10,000) well before the half of the run that is judged. */
const WALL_PER_SECOND = 25;
const STREAM_PIECES_PER_SECOND = 10;
const ASK_EVERY_MS = 4_000;
const TALK_EVERY_MS = 15_000;
const HEAP_MAX_MB = 150;
/**
 * Growth that counts as flat, of memory kept by the page itself: a tab that stays open for a working day of eight hours
 * then takes 16 MB more, a tenth of its limit. Less cannot be distinguished from the scatter of the samples of a
 * quarter of an hour.
 */
const FLAT_MB_PER_HOUR = 2;
/** Growth that counts as flat for nodes, listeners and documents: those of a row or two in an hour. */
const FLAT_COUNT_PER_HOUR = 400;

interface Sample {
  minute: number;
  heapMb: number;
  /**
   * Objects, strings and functions of the page. The heap also contains compiled code and data that the browser keeps
   * for the automation client.
   */
  keptMb: number;
  nodes: number;
  listeners: number;
  documents: number;
  sockets: number;
}

const PAGES = [
  ...['Team', 'Conversations', 'Roadmap', 'Requests', 'Clusters', 'Agent search', 'Map', 'Payments'],
  ...['System', 'Home'],
];
const rail = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: new RegExp(`^${name}\\b`) });

/** Visits every page of the dashboard once. It always ends on the home page, so that samples are comparable. */
async function goRound(page: Page, cluster: string, conversation: string): Promise<void> {
  for (const name of PAGES) {
    await rail(page, name).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (name === 'Clusters') {
      await page.locator(`a[href$="/rooms/${cluster}"]`).first().click();
      await page.getByRole('log', { name: 'Wall' }).hover();
      await page.mouse.wheel(0, -2_000);
      await page.getByRole('textbox', { name: /^Message to/ }).fill('What I would have said');
      await page.getByRole('button', { name: /↓$/ }).click();
    }
    if (name === 'Conversations') {
      await page.locator(`a[href$="/talk/${conversation}"]`).first().click();
      await page.getByRole('log', { name: 'Transcript' }).waitFor();
    }
    if (name === 'Requests') await page.locator('main [data-row]').first().click();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
  }
}

/** Node types of a heap snapshot that a page's script can retain. */
const KEPT = new Set([
  'object',
  'array',
  'string',
  'concatenated string',
  'sliced string',
  'closure',
  'number',
  'regexp',
  'symbol',
  'bigint',
]);

interface HeapSnapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
}

async function keptMb(cdp: CDPSession): Promise<number> {
  const chunks: string[] = [];
  const take = ({ chunk }: { chunk: string }) => chunks.push(chunk);
  cdp.on('HeapProfiler.addHeapSnapshotChunk', take);
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  cdp.off('HeapProfiler.addHeapSnapshotChunk', take);
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (KEPT.has(types[0][nodes[at + type] as number] as string)) bytes += nodes[at + size] as number;
  }
  return bytes / 1e6;
}

async function sample(cdp: CDPSession, minute: number, sockets: number): Promise<Sample> {
  // One collection is not enough: memory released by finalizers becomes garbage only afterwards.
  for (let time = 0; time < 3; time += 1) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners, documents } = await cdp.send('Memory.getDOMCounters');
  return {
    minute,
    heapMb: usedSize / 1e6,
    keptMb: await keptMb(cdp),
    nodes,
    listeners: jsEventListeners,
    documents,
    sockets,
  };
}

const world = await DashboardWorld.start();
try {
  const cluster = await world.room();
  const page = await world.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  let sockets = 0;
  page.on('websocket', (socket) => {
    sockets += 1;
    socket.on('close', () => {
      sockets -= 1;
    });
  });
  const cdp = await page.context().newCDPSession(page);
  const { conv } = await world.api<{ conv: string }>('POST', '/conversations', {
    member: 'developer',
    title: 'The long one',
  });
  world.agent.plays({ stamps: { count: 40, everyMs: 100 } });
  world.agent.playsTo('lamp', { text: 'It switches the lights on at **dusk**, see `README.md`.' });
  await world.open(page, `/rooms/${cluster}`);
  await page.getByRole('log', { name: 'Wall' }).waitFor();
  const speakers = await Promise.all(['ada', 'bob', 'cay', 'dan'].map((name) => world.speaker(cluster, name)));
  world.steadily(WALL_PER_SECOND, (count) =>
    speakers[count % speakers.length]?.(`line ${count}: the **${count % 7}** lamps of pier ${count % 40} are on`),
  );
  world.steadily(STREAM_PIECES_PER_SECOND, (count) => {
    const seq = count % 50;
    speakers[0]?.({
      type: 'message',
      stream: `s${Math.floor(count / 50)}`,
      seq,
      delta: `piece ${seq} `,
      ...(seq === 49 && { done: true }),
    });
  });
  const ignored = () => undefined;
  // A full queue refuses requests, which is not measured here.
  world.steadily(1_000 / ASK_EVERY_MS, (count) => void world.ask(`What does the lamp do, ${count}?`).catch(ignored));
  world.steadily(
    1_000 / TALK_EVERY_MS,
    (count) => void world.api('POST', `/conversations/${conv}/messages`, { text: `And part ${count}?` }).catch(ignored),
  );
  await world.ask('What does the lamp do at first?');
  await world.api('POST', `/conversations/${conv}/messages`, { text: 'Begin' });

  const samples: Sample[] = [];
  const started = performance.now();
  const minutes = () => (performance.now() - started) / 60_000;
  for (let due = SAMPLE_MS; minutes() < MINUTES; due += SAMPLE_MS) {
    do await goRound(page, cluster, conv);
    while (performance.now() - started < due);
    const one = await sample(cdp, minutes(), sockets);
    samples.push(one);
    console.error(
      `${one.minute.toFixed(1)} min: ${one.heapMb.toFixed(2)} MB, ${one.keptMb.toFixed(2)} MB kept by the ` +
        `page, ${one.nodes} nodes, ${one.listeners} listeners, ${one.documents} documents, ${one.sockets} sockets`,
    );
  }

  const half = samples.filter(({ minute }) => minute >= MINUTES / 2);
  const slope = (of: keyof Sample) => computeSlope(half.map((one) => [one.minute / 60, one[of]]));
  const shared = { bench: 'dashboard-soak', rounds: half.length };
  const most = Math.max(...samples.map(({ heapMb }) => heapMb));
  report({
    ...shared,
    measure: `what the page keeps, slope over the second half of ${MINUTES} min`,
    ours: rounded(slope('keptMb'), 2),
    unit: 'MB/h',
    goal: `< ${FLAT_MB_PER_HOUR} MB/h`,
    pass: slope('keptMb') < FLAT_MB_PER_HOUR,
  });
  report({
    ...shared,
    measure: 'the whole heap, with compiled code and the records of who drives the page: slope over the same',
    ours: rounded(slope('heapMb'), 2),
    unit: 'MB/h',
  });
  report({
    ...shared,
    measure: 'heap, most',
    ours: rounded(most),
    unit: 'MB',
    goal: `<= ${HEAP_MAX_MB} MB`,
    pass: most <= HEAP_MAX_MB,
  });
  for (const of of ['nodes', 'listeners', 'documents'] as const) {
    report({
      ...shared,
      measure: `${of}, slope (${half.at(-1)?.[of]} at the end)`,
      ours: rounded(slope(of), 0),
      unit: '/h',
      goal: `< ${FLAT_COUNT_PER_HOUR}/h`,
      pass: slope(of) < FLAT_COUNT_PER_HOUR,
    });
  }
  const wires = Math.max(...samples.map((one) => one.sockets));
  report({
    ...shared,
    measure: 'sockets of the tab, most',
    ours: wires,
    unit: '',
    goal: '2: events and one Wall',
    pass: wires <= 2,
  });
  report({
    ...shared,
    measure: 'errors of the page',
    ours: failures.length,
    unit: '',
    goal: '0',
    pass: failures.length === 0,
  });
  for (const failure of failures.slice(0, 5)) console.error(failure);
} finally {
  await world.close();
}
