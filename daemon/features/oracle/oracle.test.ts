import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Tier1Pricing } from '../../contract/network/agents.js';
import type { SearchFilters } from '../../contract/network/oracle.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { Database } from '../../storage/database/database.js';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { countRounds } from '../../testing/processes/event-loop.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { CatalogRow, CatalogSource } from './catalog-source.js';
import { Impressions } from './impressions.js';
import { Oracle } from './oracle.js';
import { OracleStore } from './oracle-store.js';
import { CENTS } from './price.js';
import { Responses } from './responses.js';

/** An in-memory catalog. */
class ShelfOfRows implements CatalogSource {
  readonly kept = new Map<string, CatalogRow>();
  private readonly listeners: ((agentId: string) => void)[] = [];

  rows = () => [...this.kept.values()];
  find = (agentId: string) => this.kept.get(agentKey(agentId));
  isOnline = (agentId: string) => this.find(agentId)?.isOnline === true;
  onChanged = (listener: (agentId: string) => void) => void this.listeners.push(listener);

  put(agentId: string, over: Partial<CatalogRow> = {}): void {
    const before = this.find(agentId);
    this.kept.set(agentKey(agentId), { ...EMPTY, ...before, agentId, ...over });
    for (const listener of this.listeners) listener(agentId);
  }

  remove(agentId: string): void {
    this.kept.delete(agentKey(agentId));
    for (const listener of this.listeners) listener(agentId);
  }
}

const EMPTY: CatalogRow = { ...EMPTY_ROW, endpoint: 'https://agent.example/', protocols: ['http'] };

interface Setting {
  scores?: Record<string, number>;
  promoted?: Record<string, number>;
}

function anOracle({ scores = {}, promoted = {} }: Setting = {}) {
  const clock = new FakeClock();
  const path = join(temporaryFolder(), 'mesh.db');
  const source = new ShelfOfRows();
  const open = () => {
    const database = new Database(path);
    const store = new OracleStore(database);
    const impressions = new Impressions(store, clock);
    const responses = new Responses(store, clock);
    const oracle = new Oracle({
      source,
      store,
      impressions,
      responses,
      clock,
      getHistory: (agentId) => ({
        reputation: scores[agentId] ?? null,
        ...responses.of(agentId),
        messagesThrough: store.messagesThrough(agentId),
      }),
      promoted: new Map(Object.entries(promoted)),
      rates: new Map([...CENTS, ['eur', 1.1]]),
      hasWallet: async () => false,
      embedded: undefined,
      warn: (message) => {
        throw new Error(message);
      },
    });
    const close = async () => {
      await oracle.stop();
      database.close();
    };
    return {
      oracle,
      close,
      impressionCount: (id: string) => impressions.of(id),
      messageThroughCount: (id: string) => store.messagesThrough(id),
      responses,
    };
  };
  let running = open();
  onTestFinished(() => running.close());
  const search = (query: string, filters: SearchFilters = {}, explain = false) =>
    running.oracle.search({ query, filters, explain });
  return {
    clock,
    source,
    search,
    get oracle() {
      return running.oracle;
    },
    impressionCount: (id: string) => running.impressionCount(id),
    messageThroughCount: (id: string) => running.messageThroughCount(id),
    get responses() {
      return running.responses;
    },
    async restart(isStarted = true) {
      await running.close();
      running = open();
      if (isStarted) running.oracle.start();
    },
    ids: async (query: string, filters: SearchFilters = {}) =>
      (await search(query, filters)).agents.map(({ agent_id }) => agent_id),
    /** Waits until changes are rebuilt into the index. */
    async settle() {
      clock.advance(2_000);
      await running.oracle.index.settled();
    },
  };
}

describe('a search', () => {
  it('returns the fields of a Tier-1 record and a score from 0 to 1, and reasons only with explain', async () => {
    const { source, search } = anOracle({ scores: { lawyer: 0.9 } });
    source.put('lawyer', {
      description: 'Reviews contracts.',
      tags: ['law'],
      pricing: { unit: 'request', amount: 5, currency: 'USD' },
    });
    const { agents, count, query_id, unfilterable, next_cursor } = await search('contracts');
    expect([count, next_cursor, unfilterable]).toEqual([1, null, []]);
    expect(query_id).toMatch(/^q-[A-Za-z0-9_-]{16}$/);
    expect(agents[0]).toEqual({
      agent_id: 'lawyer',
      endpoint: 'https://agent.example/',
      description: 'Reviews contracts.',
      tags: ['law'],
      pricing: { unit: 'request', amount: 5, currency: 'USD' },
      protocols: ['http'],
      online: true,
      not_callable: [{ code: 'currency_not_payable', message: 'Its price is in USD; calls are paid in lamports.' }],
      oracle_score: expect.closeTo(0.5, 0),
    });
    const explained = await search('contracts', {}, true);
    expect(explained.agents[0]?.why).toEqual({
      text: expect.any(Number),
      semantic: expect.any(Number),
      capability: 0,
      reputation: 0.9,
      ...{ response_rate: null, asked: 0, message_through: 0 },
      promoted: 0,
    });
    expect([explained.filtered, explained.vectors]).toEqual([{}, 'catalog']);
  });

  it('ranks equal rows by reputation, with an agent without a score in the middle', async () => {
    const { source, ids } = anOracle({ scores: { bad: 0.1, good: 0.9 } });
    for (const id of ['bad', 'good', 'new']) source.put(id, { description: 'Reviews contracts.' });
    expect(await ids('contracts')).toEqual(['good', 'new', 'bad']);
    expect(await ids('')).toEqual(['good', 'new', 'bad']);
  });

  it('finds an agent by its id or name: the id that was typed is first, then a name, whatever the reputation', async () => {
    const { source, ids, search } = anOracle({ scores: { 'tax-helper': 0.1, clerk: 1 }, promoted: { clerk: 0.05 } });
    source.put('clerk', { description: 'A tax helper for tax declarations: helper of tax helpers.' });
    source.put('abc', { name: 'Tax Helper', description: 'Declares.' });
    source.put('tax-helper', { description: 'Something else.' });
    for (const query of ['tax-helper', '@Tax Helper', '@taxHelper', 'TAX_HELPER'])
      expect((await ids(query)).slice(0, 2)).toEqual(['tax-helper', 'abc']);
    expect((await search('tax-helper')).agents[0]?.oracle_score).toBe(1);
    expect(await ids('abc')).toEqual(['abc']);
    expect((await ids('Tax Helper'))[0]).toBe('abc');
    source.put('houseBuilder', { description: 'Builds.' });
    expect(await ids('house')).toContain('houseBuilder');
  });

  it('an id in the words of a request is first only for who types it as an id, whatever else it is', async () => {
    const { source, ids } = anOracle({ scores: { 'translate-contract': 0, good: 1 } });
    source.put('translate-contract', { description: 'Something else.' });
    source.put('good', { description: 'Translates contracts.' });
    expect(await ids('translate contract')).toEqual(['good', 'translate-contract']);
    expect(await ids('translate-contract')).toEqual(['translate-contract', 'good']);
  });

  it('a query that says nothing but what every agent is lists all, who is named first', async () => {
    const { source, ids } = anOracle({ scores: { cook: 0.9, 'find-bot': 0.1 } });
    source.put('cook', { description: 'An assistant that cooks.' });
    source.put('find-bot', { description: 'Finds.' });
    for (const query of ['assistant', 'find agents', 'a tool']) expect(await ids(query)).toEqual(['cook', 'find-bot']);
    expect(await ids('find-bot')).toEqual(['find-bot', 'cook']);
    expect(await ids('?')).toEqual([]);
  });

  it('ids and names are found by words with digits, but not by a number at the end', async () => {
    const { source, ids } = anOracle();
    source.put('b2b-sales', {});
    source.put('abc', { name: '3D Printer' });
    source.put('physician-24', {});
    source.put('speaker', { capabilities: ['textToSpeech'] });
    expect([await ids('b2b'), await ids('3d'), await ids('24')]).toEqual([['b2b-sales'], ['abc'], []]);
    expect((await ids('text to speech'))[0]).toBe('speaker');
  });

  it('of more equal texts than are looked at, those of the best agents are found', async () => {
    const { source, ids } = anOracle({ scores: { good: 1 } });
    for (let number = 0; number < 300; number += 1)
      source.put(`copy-${number}`, { description: 'Translates letters.' });
    source.put('good', { description: 'Translates letters.' });
    expect((await ids('translate letters'))[0]).toBe('good');
    expect((await ids('assistant'))[0]).toBe('good');
  });

  it('words in capitals are searched for even where they are stopwords', async () => {
    const { source, ids } = anOracle();
    source.put('desk', { description: 'Support for it all.', tags: ['support'] });
    source.put('helpdesk', { description: 'Support for offices.', tags: ['IT'] });
    source.put('customs', { description: 'Explains US tax.' });
    source.put('treasurer', { description: 'Explains tax to us.' });
    expect((await ids('IT support'))[0]).toBe('helpdesk');
    expect(await ids('IT')).toEqual(['helpdesk']);
    expect((await ids('US tax'))[0]).toBe('customs');
    expect(await ids('PLEASE FIND US A PARROT')).toEqual([]);
  });

  it.each([
    ['doctor', 'physician-24'],
    ['fix my car', 'auto-repair'],
    ['draw a picture', 'image-maker'],
    ['my fridge is broken', 'refrigerator-help'],
    ['photographs of my holiday', 'photo-sorter'],
  ])('finds everyday synonyms without an endpoint: %s', async (query, first) => {
    const { source, ids } = anOracle();
    source.put('physician-24', { description: 'A physician answers questions about complaints.' });
    source.put('auto-repair', { description: 'Repairs an automobile of any make.' });
    source.put('image-maker', { description: 'Makes an image or painting from words.' });
    source.put('refrigerator-help', { description: 'Finds what is wrong with a refrigerator.' });
    source.put('photo-sorter', { description: 'Sorts a photo by place and day of vacation.' });
    source.put('contract-check', { description: 'Reads contracts for mistakes before they are signed.' });
    expect((await ids(query))[0]).toBe(first);
  });

  it('raises a partner by at most 0.05 and reports it', async () => {
    const { source, search } = anOracle({ promoted: { partner: 0.05 } });
    for (const id of ['neighbour', 'partner']) source.put(id, { description: 'Reviews contracts.' });
    const [first, second] = (await search('contracts', {}, true)).agents;
    expect([first?.agent_id, first?.promoted, first?.why?.promoted, second?.promoted]).toEqual([
      'partner',
      true,
      0.05,
      undefined,
    ]);
    expect((first?.oracle_score ?? 0) - (second?.oracle_score ?? 0)).toBeCloseTo(0.05, 5);
  });

  it('reports how many rows each filter removed, and which lacked the value', async () => {
    const { source, search } = anOracle();
    source.put('one', { description: 'Reviews contracts.', isOnline: false });
    source.put('two', {
      description: 'Reviews contracts.',
      pricing: { unit: 'request', amount: 900, currency: 'lamports' },
    });
    source.put('three', {
      description: 'Reviews contracts.',
      pricing: { unit: 'request', amount: 900, currency: 'USD' },
    });
    const { agents, filtered, unfilterable } = await search('contracts', { max_price_usd: 5 }, true);
    expect([agents, filtered]).toEqual([[], { online_only: 1, max_price_usd: 3 }]);
    expect(unfilterable).toEqual(
      expect.arrayContaining([
        { constraint: 'max_price_usd', reason: 'no_price', dropped: 1 },
        { constraint: 'max_price_usd', reason: 'no_lamports_rate', dropped: 1 },
      ]),
    );
  });

  it('finds new rows immediately, and finds the same after a rebuild', async () => {
    const { source, ids, settle, oracle } = anOracle();
    for (let number = 0; number < 60; number += 1)
      source.put(`agent-${number}`, { description: `Does thing${number} and contracts.` });
    expect(await ids('thing7')).toEqual(['agent-7']);
    const before = oracle.index.current;
    await settle();
    expect(oracle.index.current).not.toBe(before);
    expect((await ids('thing7'))[0]).toBe('agent-7');
    source.put('agent-7', { description: 'Something else.' });
    source.remove('agent-8');
    expect(await ids('thing7')).not.toContain('agent-7');
    await settle();
    expect(await ids('thing8')).not.toContain('agent-8');
    expect([oracle.index.current.liveRows, oracle.index.current.deadRows]).toEqual([59, 0]);
  });

  it('that arrives before the catalog is read waits for it', async () => {
    const harbour = anOracle();
    const { source, ids, restart, settle } = harbour;
    source.put('lawyer', { description: 'Reviews contracts.' });
    await restart(false);
    expect(await ids('')).toEqual(['lawyer']);
    harbour.oracle.start();
    await settle();
    expect(await ids('contracts')).toEqual(['lawyer']);
  });

  it('misses no change that happens during a rebuild', async () => {
    const { source, ids, clock, oracle } = anOracle();
    for (let number = 0; number < 300; number += 1)
      source.put(`agent-${number}`, { description: `Does thing${number}.` });
    clock.advance(2_000);
    source.put('late', { description: 'Came while the others were laid out.' });
    source.remove('agent-5');
    source.put('agent-6', { description: 'Changed its mind.' });
    await oracle.index.settled();
    expect(await ids('laid out')).toContain('late');
    expect(await ids('changed mind')).toContain('agent-6');
    expect(await ids('', { limit: 200 })).not.toContain('agent-5');
    expect(oracle.index.current.liveRows).toBe(300);
  });
});

it('building the index of two thousand rows does not block the event loop', async () => {
  const { source, oracle } = anOracle();
  for (let number = 0; number < 2_000; number += 1) {
    source.kept.set(`agent-${number}`, {
      ...EMPTY,
      agentId: `agent-${number}`,
      description: `Does thing${number % 50} for client${number % 31}.`,
    });
  }
  const counted = countRounds();
  oracle.start();
  await oracle.index.settled();
  counted.stop();
  expect(oracle.index.current.liveRows).toBe(2_000);
  expect(counted.rounds).toBeGreaterThan(200);
});

describe('online-only results', () => {
  it('exclude an agent that goes offline, which remains in the other results', async () => {
    const { source, ids } = anOracle();
    source.put('lawyer', { description: 'Reviews contracts.' });
    source.put('lawyer', { isOnline: false });
    expect(await ids('contracts')).toEqual([]);
    expect(await ids('contracts', { online_only: false })).toEqual(['lawyer']);
  });

  it('exclude an agent whose timeout expired before a change was published', async () => {
    const { source, ids } = anOracle();
    source.put('lawyer', { description: 'Reviews contracts.' });
    source.kept.set('lawyer', { ...(source.find('lawyer') as CatalogRow), isOnline: false });
    expect(await ids('contracts')).toEqual([]);
  });
});

it('a deregistered agent is not found, and its counts are deleted', async () => {
  const { clock, source, oracle, ids, impressionCount, messageThroughCount } = anOracle();
  source.put('lawyer', { description: 'Reviews contracts.' });
  await ids('contracts');
  await oracle.feedback({ requester: 'client-1', agent_id: 'lawyer', kind: 'message_through' });
  await oracle.agentGone('lawyer');
  expect(messageThroughCount('lawyer')).toBe(1);
  // Its impressions are written by then, and those of another search are not.
  clock.advance(5_000);
  await ids('contracts');
  expect(impressionCount('lawyer')).toBe(2);
  source.remove('lawyer');
  await oracle.agentGone('lawyer');
  expect(await ids('contracts', { online_only: false })).toEqual([]);
  await expect(oracle.feedback({ requester: 'client-1', agent_id: 'lawyer', kind: 'message_through' })).rejects.toThrow(
    'no agent',
  );
  source.put('lawyer', { description: 'Another one under the same id.' });
  await oracle.feedback({ requester: 'client-1', agent_id: 'lawyer', kind: 'message_through' });
  expect([impressionCount('lawyer'), messageThroughCount('lawyer')]).toEqual([0, 1]);
});

describe('pages', () => {
  const filled = () => {
    const oracle = anOracle();
    for (let number = 0; number < 45; number += 1)
      oracle.source.put(`agent-${number}`, { description: `Contracts, kind ${number % 7}.` });
    return oracle;
  };

  it('contain every row once, in a fixed order, while rows are added, removed and re-scored', async () => {
    const { source, search } = filled();
    const first = await search('contracts', { limit: 20 });
    source.put('agent-newcomer', { description: 'contracts contracts contracts' });
    const gone = (await search('contracts', { limit: 200 })).agents.at(-1)?.agent_id ?? '';
    source.remove(gone);
    const second = await search('contracts', { limit: 20, cursor: first.next_cursor ?? '' });
    const third = await search('contracts', { limit: 20, cursor: second.next_cursor ?? '' });
    const all = [first, second, third].flatMap(({ agents }) => agents.map(({ agent_id }) => agent_id));
    expect(all.length).toBe(44);
    expect(new Set(all).size).toBe(44);
    expect(all).not.toContain('agent-newcomer');
    expect([first.query_id, second.query_id, third.next_cursor]).toEqual([second.query_id, third.query_id, null]);
  });

  it('continue after a restart from the last row that was shown', async () => {
    const { search, restart, ids } = filled();
    await restart();
    const whole = await ids('contracts', { limit: 200 });
    const first = await search('contracts', { limit: 20 });
    await restart();
    const second = await search('contracts', { limit: 25, cursor: first.next_cursor ?? '' });
    const all = [...first.agents, ...second.agents].map(({ agent_id }) => agent_id);
    expect(all).toEqual(whole);
  });

  it('with a cursor of another query or of other filters are refused', async () => {
    const { search } = filled();
    const { next_cursor } = await search('contracts', { limit: 20 });
    await expect(search('kind', { cursor: next_cursor ?? '' })).rejects.toThrow('another search');
    await expect(search('contracts', { tags: 'law', cursor: next_cursor ?? '' })).rejects.toThrow('another search');
    await expect(search('contracts', { cursor: 'nonsense' })).rejects.toThrow('next_cursor');
  });

  it('that end with the last row have no next cursor', async () => {
    const { search } = filled();
    expect((await search('contracts', { limit: 45 })).next_cursor).toBeNull();
  });
});

describe('counts', () => {
  it('an impression for every row shown, immediately and across a restart', async () => {
    const oracle = anOracle();
    oracle.source.put('lawyer', { description: 'Reviews contracts.' });
    oracle.source.put('cook', { description: 'Finds recipes.' });
    for (let round = 0; round < 3; round += 1) await oracle.search('contracts');
    expect([oracle.impressionCount('LAWYER'), oracle.impressionCount('cook')]).toEqual([3, 0]);
    oracle.clock.advance(5_000);
    await oracle.search('contracts');
    await oracle.restart();
    expect(oracle.impressionCount('lawyer')).toBe(4);
  });

  it('at most five messages a day for each pair, and none to oneself', async () => {
    const oracle = anOracle();
    oracle.source.put('lawyer');
    const tell = (requester: string) =>
      oracle.oracle.feedback({ requester, agent_id: 'lawyer', kind: 'message_through' });
    for (let round = 0; round < 7; round += 1) await tell('client-1');
    for (let round = 0; round < 2; round += 1) await tell('Lawyer');
    expect(oracle.messageThroughCount('lawyer')).toBe(5);
    await tell('client-2');
    oracle.clock.step(86_400_000);
    await tell('client-1');
    await oracle.restart();
    expect(oracle.messageThroughCount('lawyer')).toBe(7);
  });
});

describe('the measured history of agents', () => {
  const SAME = { description: 'Reviews contracts.', isOnline: true };

  it('ranks an agent that answers above one that was never asked, and that above one that does not answer', async () => {
    const oracle = anOracle();
    // By id alone the order would be the reverse.
    for (const id of ['x-silent', 'y-new', 'z-answering']) oracle.source.put(id, SAME);
    expect(await oracle.ids('contracts')).toEqual(['x-silent', 'y-new', 'z-answering']);
    oracle.responses.ended('X-Silent', false);
    oracle.responses.ended('z-answering', true);
    expect(await oracle.ids('contracts')).toEqual(['z-answering', 'y-new', 'x-silent']);
    expect(await oracle.ids('')).toEqual(['z-answering', 'y-new', 'x-silent']);
    const { agents } = await oracle.search('contracts', {}, true);
    expect(agents.map(({ why }) => [why?.response_rate, why?.asked])).toEqual([
      [1, 1],
      [null, 0],
      [0, 1],
    ]);
  });

  it('ranks an agent that a message reached above its equal, and says how many did', async () => {
    const oracle = anOracle();
    for (const id of ['x-quiet', 'y-reached']) oracle.source.put(id, SAME);
    await oracle.oracle.feedback({ requester: 'client-1', agent_id: 'y-reached', kind: 'message_through' });
    expect(await oracle.ids('contracts')).toEqual(['y-reached', 'x-quiet']);
    expect((await oracle.search('contracts', {}, true)).agents[0]?.why?.message_through).toBe(1);
  });

  it('is kept over a restart, and forgotten with the agent', async () => {
    const oracle = anOracle();
    for (const id of ['x-silent', 'y-new']) oracle.source.put(id, SAME);
    oracle.responses.ended('x-silent', false);
    await oracle.restart();
    expect(await oracle.ids('contracts')).toEqual(['y-new', 'x-silent']);
    oracle.source.remove('x-silent');
    await oracle.oracle.agentGone('x-silent');
    oracle.source.put('x-silent', SAME);
    await oracle.restart();
    expect(oracle.responses.of('x-silent')).toEqual({ asked: 0, answered: 0 });
  });

  it('counts what an agent did lately more than what it once did', () => {
    const { responses } = anOracle();
    for (let count = 0; count < 200; count += 1) responses.ended('x', true);
    for (let count = 0; count < 200; count += 1) responses.ended('x', false);
    const { asked, answered } = responses.of('x');
    expect(asked).toBeLessThanOrEqual(200);
    expect(answered / asked).toBeLessThan(0.35);
  });
});

describe('a price limit in any currency', () => {
  it('finds the rows within it, and counts those that cannot be compared with the reason', async () => {
    const { source, search } = anOracle();
    const put = (id: string, amount: number, currency: string) =>
      source.put(id, {
        description: 'Reviews contracts.',
        isOnline: true,
        pricing: { unit: 'request', amount, currency } as Tier1Pricing,
      });
    put('euro', 2, 'EUR');
    put('dollar', 210, 'USD');
    put('lamports', 5, 'lamports');
    put('doubloons', 1, 'doubloons');
    const euros = await search('contracts', { max_price: 2, currency: 'EUR' });
    expect(euros.agents.map(({ agent_id }) => agent_id).sort()).toEqual(['dollar', 'euro']);
    expect(euros.unfilterable).toEqual([
      { constraint: 'max_price', reason: 'no_lamports_rate', dropped: 1 },
      { constraint: 'max_price', reason: 'unknown_currency', dropped: 1 },
    ]);
    const lamports = await search('contracts', { max_price: 5, currency: 'lamports' });
    expect(lamports.agents.map(({ agent_id }) => agent_id)).toEqual(['lamports']);
    expect(lamports.unfilterable).toContainEqual({ constraint: 'max_price', reason: 'no_rate_of_limit', dropped: 2 });
    const tooDear = await search('contracts', { max_price: 4, currency: 'lamports' });
    expect(tooDear.unfilterable.some(({ reason }) => reason === 'no_lamports_rate')).toBe(false);
  });

  it('is refused for a currency without an amount', async () => {
    await expect(anOracle().search('contracts', { currency: 'EUR' })).rejects.toThrow(
      'The currency EUR needs `max_price`, the most that a call may cost.',
    );
  });
});

describe('an agent that cannot be called', () => {
  const lamports: Tier1Pricing = { unit: 'request', amount: 5, currency: 'lamports' };
  it.each([
    ['can be called', {}, undefined],
    ['can be called free of charge', { pricing: { ...lamports, amount: 0 } }, undefined],
    ['has no endpoint', { endpoint: null }, ['no_endpoint']],
    ['is offline', { isOnline: false }, ['offline']],
    [
      'has a price that nobody can pay',
      { pricing: { ...lamports, currency: 'USD' as const } },
      ['currency_not_payable'],
    ],
    ['needs a wallet', { pricing: lamports }, ['needs_wallet']],
    ['has two reasons', { endpoint: null, pricing: lamports }, ['no_endpoint', 'needs_wallet']],
  ])('is said in its row: one that %s', async (_, over, codes) => {
    const { source, search } = anOracle();
    source.put('lawyer', { description: 'Reviews contracts.', isOnline: true, ...over });
    const { agents } = await search('contracts', { online_only: false });
    expect(agents[0]?.not_callable?.map(({ code }) => code)).toEqual(codes);
  });
});
