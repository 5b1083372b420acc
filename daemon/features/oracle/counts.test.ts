import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Impressions } from './impressions.js';
import { OracleStore } from './oracle-store.js';
import { Responses } from './responses.js';

function aStore() {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const store = new OracleStore(database);
  const clock = new FakeClock();
  const rows = (sql: string) => database.sql(sql).raw().all();
  return { store, clock, rows, impressions: new Impressions(store, clock), responses: new Responses(store, clock) };
}

describe('the stored counts', () => {
  it('of impressions add up, by agent', async () => {
    const { store } = aStore();
    await store.addImpressions(
      new Map([
        ['one', 2],
        ['two', 1],
      ]),
    );
    await store.addImpressions(new Map([['one', 3]]));
    expect([store.impressions('ONE'), store.impressions('two'), store.impressions('three')]).toEqual([5, 1, 0]);
  });

  it('of messages are limited for each pair and day', async () => {
    const { store } = aStore();
    for (let count = 0; count < 4; count += 1) await store.addMessageThrough('One', 'Client', 7, 3);
    expect(store.messagesThrough('one')).toBe(3);
    await store.addMessageThrough('one', 'client', 8, 3);
    await store.addMessageThrough('one', 'other', 7, 3);
    await store.addMessageThrough('two', 'client', 7, 3);
    expect([store.messagesThrough('ONE'), store.messagesThrough('two'), store.messagesThrough('three')]).toEqual([
      5, 1, 0,
    ]);
  });

  it('of responses are those that were last put', async () => {
    const { store } = aStore();
    await store.putResponses([
      ['one', { asked: 3, answered: 1 }],
      ['two', { asked: 1, answered: 0 }],
    ]);
    await store.putResponses([['one', { asked: 4, answered: 2 }]]);
    expect([...store.listResponses()].sort()).toEqual([
      ['one', { asked: 4, answered: 2 }],
      ['two', { asked: 1, answered: 0 }],
    ]);
  });

  it('of a removed agent are deleted, and its messages to others stay without its name', async () => {
    const { store, rows } = aStore();
    for (const id of ['one', 'two']) {
      await store.addImpressions(new Map([[id, 2]]));
      await store.putResponses([[id, { asked: 1, answered: 1 }]]);
      for (const requester of ['one', 'two', 'client']) await store.addMessageThrough(id, requester, 7, 9);
    }
    await store.addMessageThrough('three', 'two', 7, 9);
    expect(store.messagesThrough('one')).toBe(3);
    await store.forget('ONE');
    expect([store.impressions('one'), store.impressions('two')]).toEqual([0, 2]);
    expect([...store.listResponses().keys()]).toEqual(['two']);
    expect([store.messagesThrough('one'), store.messagesThrough('two')]).toEqual([0, 3]);
    await store.forget('client');
    await store.forget('three');
    expect(rows('SELECT agent_key, requester_key, day, count FROM oracle_messages_through ORDER BY 1, 2')).toEqual([
      ['two', '', 7, 2],
      ['two', 'two', 7, 1],
    ]);
    expect(store.messagesThrough('two')).toBe(3);
  });
});

describe('impressions', () => {
  it('are written five seconds after the first of them, together', async () => {
    const { impressions, clock, store } = aStore();
    const write = vi.spyOn(store, 'addImpressions');
    impressions.add('One');
    clock.advance(4_000);
    impressions.add('one');
    expect([impressions.of('ONE'), store.impressions('one'), clock.pending]).toEqual([2, 0, 1]);
    clock.advance(1_000);
    expect([impressions.of('one'), clock.pending]).toEqual([2, 0]);
    await write.mock.results[0]?.value;
    await impressions.write();
    expect([store.impressions('one'), impressions.of('one'), write.mock.calls.length]).toEqual([2, 2, 1]);
  });

  it('of two thousand agents are written at once', async () => {
    const { impressions, store } = aStore();
    for (let number = 0; number < 1_999; number += 1) impressions.add(`agent${number}`);
    impressions.add('agent0');
    const write = vi.spyOn(store, 'addImpressions');
    expect(write).not.toHaveBeenCalled();
    impressions.add('agent1999');
    expect(write).toHaveBeenCalledTimes(1);
    await impressions.write();
    expect(impressions.of('agent0')).toBe(2);
  });

  it('that come while others are written are kept for the next time', async () => {
    const { impressions, store, clock } = aStore();
    impressions.add('one');
    const first = impressions.write();
    impressions.add('one');
    const second = impressions.write();
    impressions.add('one');
    expect(impressions.of('one')).toBeGreaterThanOrEqual(2);
    await Promise.all([first, second]);
    expect([store.impressions('one'), impressions.of('one')]).toEqual([2, 3]);
    await impressions.write();
    expect([store.impressions('one'), clock.pending]).toEqual([3, 0]);
  });

  it('are counted once while they are written', async () => {
    const { impressions, store } = aStore();
    impressions.add('one');
    impressions.add('two');
    const writing = impressions.write();
    expect(impressions.of('one') - store.impressions('one')).toBe(1);
    await writing;
    expect([impressions.of('one'), impressions.of('two')]).toEqual([1, 1]);
  });

  it('that cannot be written are dropped', async () => {
    const { impressions, store } = aStore();
    vi.spyOn(store, 'addImpressions').mockRejectedValue(new Error('The disk is full.'));
    impressions.add('one');
    await impressions.write();
    expect(impressions.of('one')).toBe(0);
  });

  it('are not written where there are none, nor for an agent that is forgotten', async () => {
    const { impressions, store } = aStore();
    const write = vi.spyOn(store, 'addImpressions');
    await impressions.write();
    expect(write).not.toHaveBeenCalled();
    impressions.add('One');
    impressions.forget('oNE');
    await impressions.write();
    expect(write).not.toHaveBeenCalled();
  });
});

describe('responses', () => {
  it('count questions and answers, whatever the case of the id', () => {
    const { responses } = aStore();
    responses.ended('One', true);
    responses.ended('one', false);
    responses.asked('ONE');
    expect(responses.of('one')).toEqual({ asked: 3, answered: 1 });
    responses.answered('One');
    expect(responses.of('One')).toEqual({ asked: 3, answered: 2 });
    expect(responses.of('two')).toEqual({ asked: 0, answered: 0 });
  });

  it('never count more answers than questions', () => {
    const { responses } = aStore();
    responses.answered('one');
    responses.ended('one', true);
    responses.answered('one');
    expect(responses.of('one')).toEqual({ asked: 1, answered: 1 });
  });

  it('are halved beyond two hundred questions', () => {
    const { responses } = aStore();
    for (let count = 0; count < 200; count += 1) responses.ended('one', count % 2 === 0);
    expect(responses.of('one')).toEqual({ asked: 200, answered: 100 });
    responses.ended('one', true);
    expect(responses.of('one')).toEqual({ asked: 100, answered: 50 });
  });

  it('are written five seconds after the first that changed, and only those that changed', async () => {
    const { responses, store, clock } = aStore();
    const put = vi.spyOn(store, 'putResponses');
    responses.asked('One');
    responses.answered('one');
    responses.asked('two');
    clock.advance(4_999);
    expect([put.mock.calls.length, clock.pending]).toEqual([0, 1]);
    clock.advance(1);
    expect(put.mock.calls).toEqual([
      [
        [
          ['one', { asked: 1, answered: 1 }],
          ['two', { asked: 1, answered: 0 }],
        ],
      ],
    ]);
    responses.asked('two');
    await responses.write();
    expect([put.mock.calls.length, put.mock.lastCall, clock.pending]).toEqual([
      2,
      [[['two', { asked: 2, answered: 0 }]]],
      0,
    ]);
    await responses.write();
    expect(put).toHaveBeenCalledTimes(2);
    expect(new Responses(store, clock).of('TWO')).toEqual({ asked: 2, answered: 0 });
  });

  it('that cannot be written stay in memory', async () => {
    const { responses, store } = aStore();
    vi.spyOn(store, 'putResponses').mockRejectedValue(new Error('The disk is full.'));
    responses.asked('one');
    await responses.write();
    expect(responses.of('one')).toEqual({ asked: 1, answered: 0 });
  });

  it('of an agent that is forgotten are gone and not written', async () => {
    const { responses, store } = aStore();
    const put = vi.spyOn(store, 'putResponses');
    responses.asked('One');
    responses.forget('oNe');
    await responses.write();
    expect([responses.of('one').asked, put.mock.calls]).toEqual([0, []]);
  });
});
