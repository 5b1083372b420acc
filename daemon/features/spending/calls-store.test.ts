import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { databaseOfFile } from '../../testing/database-of-file.js';
import { type CallRow, CallsStore } from './calls-store.js';

const DAY_MS = 86_400_000;
type NewCall = Parameters<CallsStore['insert']>[0];

const aCall = (call_id: string, more: Partial<NewCall> = {}): NewCall => ({
  ...{ call_id, agent: 'painter', skill: 'paint', input: { prompt: 'a lamp' }, asked_mode: 'auto' },
  ...{ max_lamports: null, topup_lamports: null, wants_report: false, created_ms: 1 },
  ...more,
});

const database = databaseOfFile();

async function aStore(...calls: readonly NewCall[]) {
  await database.write(() => {
    for (const table of ['calls', 'idempotency']) database.sql(`DELETE FROM ${table}`).run();
  });
  const store = new CallsStore(database);
  const put = (callId: string, changes: Parameters<CallsStore['put']>[1]) =>
    database.write(() => store.put(callId, changes));
  await database.write(() => {
    for (const call of calls) store.insert(call);
  });
  return { store, put };
}

const ids = (rows: readonly CallRow[]) => rows.map(({ call_id }) => call_id);

describe('a stored call', () => {
  it('runs, and has nothing but what was asked for', async () => {
    const more = { max_lamports: 5, topup_lamports: 7, wants_report: true } as const;
    const { store } = await aStore(aCall('call-1', more), aCall('call-2', { input: null }));
    expect(store.find('call-1')).toEqual({
      ...{ seq: 1, call_id: 'call-1', state: 'running', agent: 'painter', agent_id: null, agent_url: null },
      ...{ skill: 'paint', input: { prompt: 'a lamp' }, asked_mode: 'auto', max_lamports: 5, topup_lamports: 7 },
      ...{ wants_report: true, is_committed: false, approved_lamports: null, wanted: null, waiting_ms: null },
      ...{ mode: null, amount_lamports: null, network: null, is_real: false, payment_id: null, signature: null },
      ...{ latency_ms: null, result: null, reputation_filed: null, error_code: null, error_message: null },
      ...{ reason: null, created_ms: 1, answered_ms: null, finished_ms: null },
    });
    expect(store.find('call-2')).toMatchObject({ input: {}, wants_report: false });
    expect(store.find('call-3')).toBeUndefined();
  });

  it('has its changes as they were given, and no other call has them', async () => {
    const { store, put } = await aStore(aCall('call-1'), aCall('call-2'));
    const before = store.find('call-2');
    const changes = {
      ...{ is_committed: true, is_real: true, mode: 'x402', amount_lamports: 5, reason: 'why', input: { a: [1] } },
      ...{ wanted: { amount: 5, network: 'solana:devnet', address: 'payee', is_real: true } },
      ...{ result: { painted: [1, null] }, reputation_filed: { ok: true } },
    } as const;
    await put('call-1', changes as unknown as Partial<CallRow>);
    expect(store.find('call-1')).toMatchObject(changes);
    expect(store.find('call-2')).toEqual(before);
    await put('call-1', { is_committed: false, is_real: false, wanted: null, result: undefined, reason: null });
    expect(store.find('call-1')).toMatchObject({
      ...{ is_committed: false, is_real: false, wanted: null, result: null, reason: null, mode: 'x402' },
    });
  });

  it.each([[0], [false], ['text'], [[]]])('has the result %j', async (result) => {
    const { store, put } = await aStore(aCall('call-1'));
    await put('call-1', { result });
    expect(store.find('call-1')?.result).toEqual(result);
  });

  it.each(['done', 'failed'] as const)('is not changed any more once it is %s', async (state) => {
    const { store, put } = await aStore(aCall('call-1'), aCall('call-2'));
    await put('call-2', { state: 'waiting' });
    await put('call-2', { reason: 'changed while it waits' });
    await put('call-1', { state });
    await put('call-1', { state: 'running', reason: 'too late' });
    expect(store.find('call-1')).toMatchObject({ state, reason: null });
    expect(store.find('call-2')).toMatchObject({ state: 'waiting', reason: 'changed while it waits' });
  });
});

describe('a call that is submitted', () => {
  const key = { scope: 'calls', key: 'once', body_sha256: '0'.repeat(64) };

  it('is added once under a key, and each time without one', async () => {
    const { store } = await aStore();
    let asked = 0;
    const mayAdd = () => {
      asked += 1;
    };
    expect(await store.submit(key, aCall('call-1'), mayAdd)).toBe('call-1');
    expect(await store.submit(key, aCall('call-2'), mayAdd)).toBe('call-1');
    expect(await store.submit(undefined, aCall('call-3'), mayAdd)).toBe('call-3');
    expect(await store.submit({ ...key, key: 'again' }, aCall('call-4'), mayAdd)).toBe('call-4');
    expect(asked).toBe(3);
    expect(ids(store.list({ limit: 10 }))).toEqual(['call-4', 'call-3', 'call-1']);
  });

  it('is not there when it is refused, and may be submitted again under the same key', async () => {
    const { store } = await aStore();
    const refuse = () => {
      throw new MeshError('too_many_requests', 'Wait.');
    };
    await expect(store.submit(key, aCall('call-1'), refuse)).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store.find('call-1')).toBeUndefined();
    expect(await store.submit(key, aCall('call-2'), () => undefined)).toBe('call-2');
  });
});

it('the calls that run, and those that wait, are listed from the oldest', async () => {
  const { store, put } = await aStore(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => aCall(id)));
  await put('b', { state: 'waiting' });
  await put('c', { state: 'done' });
  await put('d', { state: 'waiting' });
  await put('f', { state: 'failed' });
  expect([ids(store.listLive('running')), ids(store.listLive('waiting'))]).toEqual([
    ['a', 'e'],
    ['b', 'd'],
  ]);
  expect(store.countRunning()).toBe(2);
  expect((await aStore()).store.countRunning()).toBe(0);
});

it.each<[string, object, string[]]>([
  ['newest first', {}, ['d', 'c', 'b', 'a']],
  ['as many as are asked for', { limit: 3 }, ['d', 'c', 'b']],
  ['of a state', { state: 'waiting' }, ['b']],
  ['older than one', { beforeSeq: 3 }, ['b', 'a']],
  ['of an agent as it was called', { agent: 'http://painter.example' }, ['c']],
  ['of an agent by its name or its id', { agent: 'p-1' }, ['d', 'a']],
  ['of an agent by its id in any case', { agent: 'P-1' }, ['a']],
  ['of an agent that is called by that name alone', { agent: 'Painter' }, []],
  ['with two conditions', { agent: 'p-1', beforeSeq: 4 }, ['a']],
])('calls are listed %s', async (_, pick, listed) => {
  const { store, put } = await aStore(
    aCall('a'),
    aCall('b'),
    aCall('c', { agent: 'http://painter.example' }),
    aCall('d', { agent: 'p-1' }),
  );
  await put('a', { agent_id: 'p-1' });
  await put('b', { state: 'waiting' });
  expect(ids(store.list({ limit: 10, ...pick }))).toEqual(listed);
});

it('calls are forgotten once they ended long enough ago, and keys after a day', async () => {
  const { store, put } = await aStore(aCall('a'), aCall('b'), aCall('c'));
  await put('a', { state: 'done', finished_ms: 999 });
  await put('b', { state: 'failed', finished_ms: 1_000 });
  const key = { scope: 'calls', body_sha256: '0'.repeat(64) };
  for (const [call_id, created_ms] of [
    ['old', 1],
    ['new', 2],
  ] as const)
    await store.submit({ ...key, key: call_id }, aCall(call_id, { created_ms }), () => undefined);
  await store.prune(1_000, DAY_MS + 1);
  expect(ids(store.list({ limit: 10 }))).toEqual(['new', 'old', 'c', 'b']);
  expect(database.sql('SELECT key FROM idempotency').pluck().all()).toEqual(['new']);
});
