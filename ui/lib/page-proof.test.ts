import { createHmac } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';

const KEY = 'a2V5';
const proofOf = (run: string) => createHmac('sha256', KEY).update(run).digest('hex');

/** A daemon in its run number `run`, which refuses what does not prove itself to it. */
function daemon() {
  const state = { run: 'one', asked: [] as string[] };
  vi.stubGlobal('fetch', async (address: string, { headers = {} }: { headers?: Record<string, string> } = {}) => {
    state.asked.push(address);
    if (address === '/app/run.json') return Response.json({ run: state.run });
    if (headers['x-meshd-page'] === proofOf(state.run)) return new Response(`${headers['accept']}`);
    return new Response(null, { status: 403, headers: { 'x-meshd-run': state.run } });
  });
  return state;
}

/** The module as a page loads it. */
async function loaded(data: DOMStringMap) {
  vi.resetModules();
  const page = await import('./page-proof.js');
  return { ...page, hasKey: await page.takeKey(data) };
}

beforeEach(() => {
  vi.stubGlobal('navigator', {});
  return () => vi.unstubAllGlobals();
});

it('takes the key out of the page and proves calls and sockets by it', async () => {
  const state = daemon();
  const data = { key: KEY, run: 'one', seq: '4' } as DOMStringMap;
  const { pageFetch, pageProtocols, hasKey } = await loaded(data);
  expect([hasKey, data]).toEqual([true, { run: 'one', seq: '4' }]);
  expect(await (await pageFetch('/team', { headers: { accept: 'x' } })).text()).toBe('x');
  expect(state.asked).toEqual(['/team']);
  expect(pageProtocols()).toEqual([`meshd.page.${proofOf('one')}`]);
});

it('repeats a call once for a daemon that was started again, and asks for its number once', async () => {
  const state = daemon();
  const { pageFetch } = await loaded({ key: KEY, run: 'one' });
  state.run = 'two';
  const answers = await Promise.all([pageFetch('/a'), pageFetch('/b')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(state.asked.filter((address) => address === '/app/run.json')).toHaveLength(1);
  expect(state.asked.filter((address) => address === '/a')).toHaveLength(2);
});

it('gives back a refusal of its own run, and repeats nothing', async () => {
  const state = daemon();
  const { pageFetch } = await loaded({ key: 'of another folder', run: 'one' });
  expect((await pageFetch('/a')).status).toBe(403);
  expect(state.asked).toEqual(['/a']);
});

it('proves nothing to a new run while a worker controls the page', async () => {
  const state = daemon();
  const { renewProof, pageProtocols } = await loaded({ key: KEY, run: 'one' });
  state.run = 'two';
  vi.stubGlobal('navigator', { serviceWorker: { controller: {} } });
  await expect(renewProof()).rejects.toThrow('worker');
  expect(pageProtocols()).toEqual([`meshd.page.${proofOf('one')}`]);
});

it('sends no proof where it came without a key', async () => {
  const state = daemon();
  const { pageFetch, pageProtocols, hasKey } = await loaded({ run: 'one' });
  expect([hasKey, pageProtocols()]).toEqual([false, []]);
  expect((await pageFetch('/a')).status).toBe(403);
  expect(state.asked).toEqual(['/a']);
});
