import { describe, expect, it, onTestFinished } from 'vitest';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { CatalogRow } from './catalog-source.js';
import { createConstraints } from './constraints.js';
import { LiveIndex } from './live-index.js';
import type { SearchIndex } from './search-index.js';

/** An index over a catalog of agents with these descriptions. */
function staged(count = 0) {
  const clock = new FakeClock();
  const kept = new Map<string, CatalogRow>();
  const warnings: string[] = [];
  const laidOut: SearchIndex[] = [];
  const stage = { fault: undefined as Error | undefined, reads: 0, openReads: 0 };
  let listener: (agentId: string) => void = () => undefined;
  const keep = (agentId: string, over: Partial<CatalogRow> = {}) =>
    void kept.set(agentId.toLowerCase(), { ...EMPTY_ROW, agentId, description: 'karn', ...over });
  for (let number = 0; number < count; number += 1) keep(`agent${number}`);
  const index = new LiveIndex({
    source: {
      *rows() {
        stage.reads += 1;
        if (stage.fault) throw stage.fault;
        stage.openReads += 1;
        try {
          yield* kept.values();
        } finally {
          stage.openReads -= 1;
        }
      },
      find: (agentId) => kept.get(agentId.toLowerCase()),
      isOnline: (agentId) => kept.get(agentId.toLowerCase())?.isOnline === true,
      onChanged: (heard) => {
        listener = heard;
      },
    },
    clock,
    getHistory: () => ({ reputation: null, asked: 0, answered: 0, messagesThrough: 0 }),
    rates: new Map(),
    warn: (message) => void warnings.push(message),
  });
  index.onLaidOut((next) => void laidOut.push(next));
  onTestFinished(() => index.close());
  const put = (agentId: string, over: Partial<CatalogRow> = {}) => {
    keep(agentId, over);
    listener(agentId);
  };
  const remove = (agentId: string) => {
    kept.delete(agentId.toLowerCase());
    listener(agentId);
  };
  const ids = (query: string) =>
    index.current
      .find(query, createConstraints({}), 0)
      .candidates.map(({ agentId }) => agentId)
      .sort();
  return { clock, index, kept, keep, put, remove, ids, warnings, laidOut, stage };
}

describe('the catalog', () => {
  it('is read once, before or after the start, and laid out after it', async () => {
    const { index, stage, ids, laidOut } = staged(3);
    await index.ready;
    expect([ids('karn'), laidOut.length]).toEqual([['agent0', 'agent1', 'agent2'], 0]);
    index.start();
    await index.ready;
    await index.settled();
    expect([stage.reads, laidOut.length, laidOut[0] === index.current, ids('karn').length]).toEqual([2, 1, true, 3]);
  });

  it('is laid out once when it is started twice', async () => {
    const { index, laidOut } = staged(3);
    index.start();
    index.start();
    await index.ready;
    await index.settled();
    await index.settled();
    expect(laidOut).toHaveLength(1);
  });

  it('that cannot be read is warned of, and what changes later is found', async () => {
    const { index, stage, warnings, put, ids } = staged(3);
    stage.fault = new Error('No disk.');
    await index.ready;
    expect(warnings).toEqual(['The catalog could not be read for the search: No disk.']);
    put('late');
    expect(ids('karn')).toEqual(['late']);
  });

  it('that cannot be laid out is warned of, and the index before it stays', async () => {
    const { index, stage, warnings, ids, clock, put, laidOut } = staged(3);
    await index.ready;
    stage.fault = new Error('No disk.');
    put('late');
    clock.advance(2_000);
    await index.settled();
    expect(warnings).toEqual(['The search index could not be laid out anew: No disk.']);
    expect([ids('karn').length, laidOut, clock.pending]).toEqual([4, [], 0]);
  });

  it('is read again after it was replaced', async () => {
    const { index, ids, keep, kept, laidOut } = staged(2);
    await index.ready;
    kept.clear();
    keep('other');
    await index.reread();
    await index.settled();
    expect([ids('karn'), laidOut.length]).toEqual([['other'], 1]);
  });

  it('is read in parts, between which rows that change are read again', async () => {
    const { index, put, remove, ids } = staged(50);
    const ready = index.ready;
    put('agent1', { description: 'bolt' });
    remove('agent0');
    await ready;
    expect(ids('bolt')).toEqual(['agent1']);
    expect(ids('karn')).toHaveLength(48);
  });
});

describe('a change', () => {
  it('is found at once, and laid out two seconds after the last one', async () => {
    const { index, clock, put, ids, laidOut } = staged();
    await index.ready;
    put('one');
    clock.advance(1_500);
    put('two');
    clock.advance(1_999);
    await index.settled();
    expect([ids('karn'), laidOut.length, clock.pending]).toEqual([['one', 'two'], 0, 1]);
    clock.advance(1);
    await index.settled();
    expect([laidOut.length, clock.pending, ids('karn')]).toEqual([1, 0, ['one', 'two']]);
  });

  it('of the online state alone, and of an agent that is not there, lays nothing out', async () => {
    const { index, clock, put, remove } = staged(1);
    await index.ready;
    put('agent0', { isOnline: false, lastSeenMs: 5 });
    remove('nobody');
    expect(clock.pending).toBe(0);
    remove('agent0');
    expect(clock.pending).toBe(1);
  });

  it('is found by the id in any case', async () => {
    const { index, put, remove, ids } = staged();
    await index.ready;
    put('One');
    expect(ids('karn')).toEqual(['One']);
    remove('ONE');
    expect(ids('karn')).toEqual([]);
  });

  it('beyond five hundred others in a small catalog is laid out at once', async () => {
    const { index, clock, put, laidOut } = staged();
    await index.ready;
    for (let number = 0; number < 500; number += 1) put(`agent${number}`);
    expect(clock.pending).toBe(1);
    put('agent500');
    expect(clock.pending).toBe(0);
    await index.settled();
    expect(laidOut.length).toBe(1);
    put('late');
    expect(clock.pending).toBe(1);
  });

  it('while the index is laid out is in the next one, which is laid out later', async () => {
    const { index, clock, put, remove, ids, laidOut } = staged(60);
    index.start();
    await index.ready;
    put('late', { description: 'bolt' });
    remove('agent7');
    expect(clock.pending).toBe(0);
    await index.settled();
    expect([ids('bolt'), ids('agent7'), laidOut.length, clock.pending]).toEqual([['late'], [], 1, 1]);
    clock.advance(2_000);
    await index.settled();
    expect([ids('bolt'), laidOut.length, clock.pending]).toEqual([['late'], 2, 0]);
  });

  it('in a catalog of more than five thousand rows is laid out once a tenth has changed', async () => {
    const { index, clock, put, laidOut } = staged(5_500);
    await index.ready;
    for (let number = 0; number < 550; number += 1) put(`agent${number}`, { description: 'bolt' });
    clock.advance(60_000);
    await index.settled();
    expect([laidOut.length, clock.pending]).toEqual([0, 0]);
    put('agent550', { description: 'bolt' });
    await index.settled();
    expect(laidOut.length).toBe(1);
  });

  it('in a catalog of five thousand rows is laid out after the pause', async () => {
    const { index, clock, put } = staged(5_000);
    await index.ready;
    put('agent0', { description: 'bolt' });
    expect(clock.pending).toBe(1);
    put('one-more');
    expect(index.current.liveRows).toBe(5_001);
  });
});

describe('after its end', () => {
  it('nothing is laid out', async () => {
    const { index, clock, put, laidOut } = staged(3);
    await index.ready;
    put('one');
    await index.close();
    expect(clock.pending).toBe(0);
    put('two');
    expect(clock.pending).toBe(0);
    await index.reread();
    await index.settled();
    expect(laidOut).toEqual([]);
  });

  it('a read and a layout under way are given up', async () => {
    const { index, laidOut, stage } = staged(100);
    index.start();
    await index.ready;
    await index.close();
    expect([laidOut, stage.openReads]).toEqual([[], 0]);
    const reading = staged(100);
    const ready = reading.index.ready;
    await reading.index.close();
    expect(reading.stage.openReads).toBe(0);
    await ready;
    expect(reading.index.current.liveRows).toBeLessThan(100);
  });
});
