import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SearchFilters } from '../../contract/network/oracle.js';
import { Database } from '../../storage/database/database.js';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type AnswerList, AnswerLists } from './answer-lists.js';
import type { CatalogRow } from './catalog-source.js';
import { writeCursor } from './cursor.js';
import { Impressions } from './impressions.js';
import { listNotCallable } from './not-callable.js';
import { Oracle } from './oracle.js';
import { OracleStore } from './oracle-store.js';
import type { History } from './ranking.js';
import { Responses } from './responses.js';
import type { EmbeddedCatalog } from './vectors/embedded-catalog.js';
import { EmbeddedSpace } from './vectors/embedded-space.js';

const KNOWN: History = { reputation: null, asked: 0, answered: 0, messagesThrough: 0 };

/** Agent search over agents with the description `karn`, and an endpoint whose calls are listed in `calls`. */
function anOracle({
  promoted = {},
  history = {},
}: {
  promoted?: Record<string, number>;
  history?: Record<string, Partial<History>>;
} = {}) {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  const clock = new FakeClock();
  const store = new OracleStore(database);
  const kept = new Map<string, CatalogRow>();
  const calls: string[] = [];
  const stage = { hasWallet: false, vector: undefined as Float32Array | undefined };
  const listeners: ((agentId: string) => void)[] = [];
  const embedded = {
    follow: () => void calls.push('follow'),
    changed: () => void calls.push('changed'),
    stop: () => void calls.push('stop'),
    query: async (query: string) => {
      calls.push(query);
      return stage.vector;
    },
  } as unknown as EmbeddedCatalog;
  const oracle = new Oracle({
    source: {
      rows: () => kept.values(),
      find: (agentId) => kept.get(agentId.toLowerCase()),
      isOnline: (agentId) => kept.get(agentId.toLowerCase())?.isOnline === true,
      onChanged: (listener) => void listeners.push(listener),
    },
    store,
    impressions: new Impressions(store, clock),
    responses: new Responses(store, clock),
    clock,
    getHistory: (agentId) => ({ ...KNOWN, ...history[agentId] }),
    promoted: new Map(Object.entries(promoted)),
    rates: new Map(),
    embedded,
    hasWallet: async () => stage.hasWallet,
    warn: (message) => {
      throw new Error(message);
    },
  });
  onTestFinished(async () => {
    await oracle.stop();
    database.close();
  });
  const put = (agentId: string, over: Partial<CatalogRow> = {}) => {
    kept.set(agentId.toLowerCase(), { ...EMPTY_ROW, agentId, description: 'karn', ...over });
    for (const listener of listeners) listener(agentId);
  };
  const remove = (agentId: string) => {
    kept.delete(agentId.toLowerCase());
    for (const listener of listeners) listener(agentId);
  };
  const search = (query: string, filters: SearchFilters = {}, explain = false) =>
    oracle.search({ query, filters, explain });
  const ids = async (query: string, filters: SearchFilters = {}) =>
    (await search(query, filters)).agents.map(({ agent_id }) => agent_id);
  return { oracle, clock, store, kept, calls, stage, put, remove, search, ids };
}

describe('a page', () => {
  const filled = (count: number, over: (at: number) => Partial<CatalogRow> = () => ({})) => {
    const made = anOracle();
    for (let at = 0; at < count; at += 1) made.put(`x${String(at).padStart(3, '0')}`, over(at));
    return made;
  };

  it('has fifty rows unless a limit is sent', async () => {
    const { search } = filled(55);
    expect([(await search('karn')).count, (await search('karn', { limit: 3 })).count]).toEqual([50, 3]);
  });

  it('has a next one only while a row is left that is still there', async () => {
    const { search, remove, ids } = filled(3);
    const first = await search('karn', { limit: 2 });
    expect(first.next_cursor).not.toBeNull();
    remove('x002');
    expect((await search('karn', { limit: 2 })).next_cursor).toBeNull();
    expect(await ids('karn', { limit: 2, cursor: first.next_cursor as string })).toEqual([]);
  });

  it('has no next one when all that is left is offline', async () => {
    const { search, kept } = filled(3);
    await search('');
    kept.set('x002', { ...(kept.get('x002') as CatalogRow), isOnline: false });
    expect((await search('karn', { limit: 2 })).next_cursor).toBeNull();
    expect((await search('karn', { limit: 2, online_only: false })).next_cursor).not.toBeNull();
  });

  it('skips rows that are gone, and has as many others', async () => {
    const { search, remove } = filled(5);
    const first = await search('karn', { limit: 2 });
    remove('x002');
    const second = await search('karn', { limit: 2, cursor: first.next_cursor as string });
    expect(second.agents.map(({ agent_id }) => agent_id)).toEqual(['x003', 'x004']);
  });

  it('of a list that is not kept goes on after the last row, also where that one is gone', async () => {
    const { search, remove, ids } = filled(5);
    const { next_cursor } = await search('', { limit: 2 });
    const [offset, score, digest] = Buffer.from(next_cursor as string, 'base64url')
      .toString()
      .split('|') as [string, string, string];
    const at = (agentId: string, by = 0) =>
      writeCursor({
        queryId: 'q-ABCDEFGHabcdefgh',
        digest,
        offset: Number(offset),
        score: Number(score) + by,
        agentId,
      });
    expect(await ids('', { limit: 9, cursor: at('x001') })).toEqual(['x002', 'x003', 'x004']);
    remove('x001');
    expect(await ids('', { limit: 9, cursor: at('x001') })).toEqual(['x002', 'x003', 'x004']);
    expect(await ids('', { limit: 9, cursor: at('x004') })).toEqual([]);
    expect(await ids('', { limit: 9, cursor: at('x004', 0.1) })).toEqual(['x000', 'x002', 'x003', 'x004']);
    expect((await search('', { cursor: at('x001') })).query_id).toBe('q-ABCDEFGHabcdefgh');
  });

  it('counts an impression for each of its rows, and none for others', async () => {
    const { search, oracle, store } = filled(3);
    await search('karn', { limit: 2 });
    await oracle.stop();
    expect(['x000', 'x001', 'x002'].map((id) => store.impressions(id))).toEqual([1, 1, 0]);
  });
});

describe('a row that is shown', () => {
  it('has its history, rounded to six digits', async () => {
    const { put, search } = anOracle({
      history: { one: { reputation: 0.25, asked: 3, answered: 1, messagesThrough: 4 } },
    });
    put('one');
    put('two', { description: 'karn bolt mast' });
    const { agents } = await search('karn', {}, true);
    const why = agents.find(({ agent_id }) => agent_id === 'one')?.why;
    expect(why).toMatchObject({ reputation: 0.25, response_rate: 0.333333, asked: 3, message_through: 4 });
    for (const value of [agents[1]?.oracle_score, agents[1]?.why?.text]) expect(String(value)).toMatch(/^0\.\d{1,6}$/);
  });

  it('says why only when it is asked, and nothing of reasons where there are none', async () => {
    const { put, search, stage } = anOracle();
    stage.hasWallet = true;
    put('one', { endpoint: 'https://agent.example', pricing: { unit: 'request', amount: 5, currency: 'lamports' } });
    const { agents, filtered, vectors } = await search('karn');
    expect(Object.keys(agents[0] ?? {})).toEqual([
      ...['agent_id', 'endpoint', 'description', 'tags', 'pricing', 'protocols', 'online', 'oracle_score'],
    ]);
    expect([filtered, vectors]).toEqual([undefined, undefined]);
  });

  it('is a partner whatever the case of its id', async () => {
    const { put, search } = anOracle({ promoted: { partner: 0.03 } });
    put('Partner');
    const { agents } = await search('karn', {}, true);
    expect([agents[0]?.promoted, agents[0]?.why?.promoted]).toEqual([true, 0.03]);
  });

  it('without a query has a score by its standing and the time at which it was seen', async () => {
    const { put, search, clock } = anOracle({ history: { bad: { reputation: 0 } } });
    put('bad');
    put('good');
    put('old', { isOnline: false, lastSeenMs: clock.now() - 86_400_000 });
    const { agents } = await search(' ', { online_only: false });
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(['good', 'old', 'bad']);
    const [good, old] = agents.map(({ oracle_score }) => oracle_score) as [number, number];
    expect(old / good).toBeCloseTo(0.95, 5);
  });
});

describe('the vectors of an endpoint', () => {
  it('are asked for a query, not for a list, and used where rows have them', async () => {
    const { put, search, stage, calls, oracle } = anOracle();
    put('one', { description: 'mast' });
    put('two', { description: 'mast' });
    await search(' ');
    expect(calls).toEqual(['changed', 'changed']);
    stage.vector = Float32Array.from([1, 0]);
    expect((await search('karn', {}, true)).vectors).toBe('catalog');
    const space = new EmbeddedSpace(2, []);
    space.put(0, Float32Array.from([1, 0]));
    space.put(1, Float32Array.from([0, 1]));
    oracle.index.current.embedIn(space);
    const { agents, vectors } = await search('karn', {}, true);
    expect([vectors, agents.map(({ agent_id }) => agent_id)]).toEqual(['embeddings', ['one']]);
    stage.vector = undefined;
    expect((await search('karn', {}, true)).vectors).toBe('catalog');
    expect(calls.slice(2)).toEqual(['karn', 'karn', 'karn']);
  });

  it('are fetched for rows that change, not for those that go, and for each index', async () => {
    const { put, remove, calls, oracle } = anOracle();
    put('one');
    remove('one');
    expect(calls).toEqual(['changed']);
    oracle.start();
    await oracle.index.ready;
    await oracle.index.settled();
    expect(calls).toEqual(['changed', 'follow']);
    await oracle.stop();
    expect(calls.at(-1)).toBe('stop');
  });
});

it('feedback about an agent that is not there is refused', async () => {
  const { oracle } = anOracle();
  await expect(
    oracle.feedback({ requester: 'client', agent_id: 'nobody', kind: 'message_through' }),
  ).rejects.toMatchObject({ code: 'not_found', message: 'There is no agent with this id to give feedback about.' });
});

describe('the kept lists', () => {
  const aList = (digest: string): AnswerList => ({
    digest,
    rows: [],
    unfilterable: [],
    filtered: {},
    vectors: 'catalog',
  });

  it('are found by the id and the search that they belong to', () => {
    const lists = new AnswerLists();
    const list = aList('digest');
    lists.keep('one', list);
    expect([lists.find('one', 'digest'), lists.find('one', 'other'), lists.find('two', 'digest')]).toEqual([
      list,
      undefined,
      undefined,
    ]);
  });

  it('are the last hundred that were used', () => {
    const lists = new AnswerLists();
    for (let number = 0; number < 100; number += 1) lists.keep(`q${number}`, aList('d'));
    lists.keep('q0', aList('d'));
    const isKept = (number: number) => lists.find(`q${number}`, 'd') !== undefined;
    expect([isKept(0), isKept(1), isKept(99)]).toEqual([true, true, true]);
    lists.keep('q100', aList('d'));
    expect([isKept(0), isKept(1), isKept(2), isKept(100)]).toEqual([true, false, true, true]);
  });
});

describe('why an agent cannot be called', () => {
  const endpoint = 'https://agent.example';
  const price = (amount: number, currency: string) => ({ unit: 'request', amount, currency }) as CatalogRow['pricing'];
  const NO_ENDPOINT = { code: 'no_endpoint', message: 'It has no endpoint. On the hub it can be sent a message.' };
  const OFFLINE = { code: 'offline', message: 'It is offline.' };
  const NEEDS_WALLET = {
    code: 'needs_wallet',
    message: 'It costs lamports, and there is no wallet yet: `meshd wallet new main` makes one.',
  };

  it.each<[string, Pick<CatalogRow, 'endpoint' | 'pricing'>, boolean, boolean, unknown[]]>([
    ['nothing', { endpoint, pricing: null }, true, false, []],
    ['no endpoint', { endpoint: null, pricing: null }, true, false, [NO_ENDPOINT]],
    ['no address', { endpoint: 'somewhere', pricing: null }, true, false, [NO_ENDPOINT]],
    ['offline', { endpoint, pricing: null }, false, false, [OFFLINE]],
    ['both', { endpoint: null, pricing: null }, false, false, [NO_ENDPOINT, OFFLINE]],
    ['no wallet', { endpoint, pricing: price(5, 'Lamports') }, true, false, [NEEDS_WALLET]],
    ['a wallet', { endpoint, pricing: price(5, 'lamports') }, true, true, []],
    ['free of charge', { endpoint, pricing: price(0, 'USD') }, true, false, []],
    ['free by name', { endpoint, pricing: price(5, 'Free') }, true, false, []],
    [
      'another currency',
      { endpoint, pricing: price(5, 'EUR') },
      true,
      true,
      [{ code: 'currency_not_payable', message: 'Its price is in EUR; calls are paid in lamports.' }],
    ],
  ])('with %s', (_name, row, isOnline, hasWallet, reasons) => {
    expect(listNotCallable(row, isOnline, hasWallet)).toEqual(reasons);
  });
});
