import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import {
  checkNetworkName,
  createStream,
  eraseMessages,
  findMessage,
  findSequence,
  findStream,
  getIdentity,
  jetStreamCode,
  listNetworks,
  retryUntilLeader,
  toStreamName,
} from './command-stream.js';

const refusal = (code: number) => Object.assign(new Error('refused'), { code });
const managerOf = (streams: object) => ({ streams }) as unknown as JetStreamManager;

/** Servers that refuse three replicas with `code`, so many times. Returns how many replicas each attempt asked for. */
function createWith(code: number, refusals: number) {
  const clock = new FakeClock();
  const attempts: (number | undefined)[] = [];
  const add = async ({ num_replicas }: Partial<StreamConfig>) => {
    attempts.push(num_replicas);
    if (num_replicas === 3 && attempts.length <= refusals) throw Object.assign(new Error('refused'), { code });
    return { config: { num_replicas } };
  };
  const created = createStream({ streams: { add } } as unknown as JetStreamManager, 'team', 'one', clock);
  const settle = async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      await new Promise(setImmediate);
      clock.advance(250);
    }
    return [(await created).config.num_replicas, attempts.length];
  };
  created.catch(() => undefined);
  return settle();
}

it('gives a network three replicas once the servers of a cluster have met, one where they are too few', async () => {
  expect(await createWith(10_005, 2)).toEqual([3, 3]);
  expect(await createWith(10_074, 99)).toEqual([1, 2]);
  expect(await createWith(10_005, 99)).toEqual([1, 22]);
  expect(await createWith(10_023, 1)).toEqual([3, 2]);
  expect(await createWith(10_120, 99)).toEqual([1, 2]);
});

it('creates no network of one replica where there is no room for three', async () => {
  await expect(createWith(10_023, 99)).rejects.toMatchObject({ code: 10_023 });
});

it('names a size and no number of consumers where the account asks for that', async () => {
  const wanted: object[] = [];
  const add = async ({ max_bytes, max_consumers, discard, num_replicas }: Partial<StreamConfig>) => {
    wanted.push({ max_bytes, max_consumers, discard, num_replicas });
    if (max_consumers !== undefined) throw refusal(10_026);
    if (max_bytes === undefined) throw refusal(10_113);
    if (num_replicas === 3) throw refusal(10_120);
    return {};
  };
  await createStream(managerOf({ add }), 'docks', '0a1b', new FakeClock());
  expect(wanted.at(-1)).toEqual({ max_bytes: 1024 ** 3, max_consumers: undefined, discard: 'new', num_replicas: 1 });
  expect(wanted).toHaveLength(4);
  const always = async () => Promise.reject(refusal(10_113));
  await expect(createStream(managerOf({ add: always }), 'docks', 'x', new FakeClock())).rejects.toMatchObject({
    code: 10_113,
  });
});

it('passes on why the servers do not create a network', async () => {
  const add = async () => Promise.reject(refusal(10_058));
  await expect(createStream(managerOf({ add }), 'team', 'one', new FakeClock())).rejects.toMatchObject({
    code: 10_058,
  });
  const down = async () => Promise.reject(new Error('no answer'));
  await expect(createStream(managerOf({ add: down }), 'team', 'one', new FakeClock())).rejects.toThrow('no answer');
});

it('creates a stream that keeps every command of its network in files, and refuses what was sent twice', async () => {
  const wanted: unknown[] = [];
  const add = async (config: object) => {
    wanted.push(config);
    return {};
  };
  await createStream(managerOf({ add }), 'docks', '0a1b', new FakeClock());
  expect(wanted).toEqual([
    {
      ...{ name: 'MESHD_docks', description: 'meshd network 0a1b', subjects: ['m.docks.cmd.>'], storage: 'file' },
      ...{ num_replicas: 3, retention: 'limits', duplicate_window: 120_000_000_000 },
      // A signed command is a text in JSON, which may be twice as long.
      ...{ max_msg_size: 525_312, max_consumers: 100_000 },
    },
  ]);
});

describe('Servers that have just started', () => {
  /** Fails as `errors` say, once for each, and succeeds then. */
  function retrying(errors: (attempt: number) => Error | undefined) {
    const clock = new FakeClock();
    const state = { attempts: 0, isOver: false };
    const ended = retryUntilLeader(clock, async () => {
      state.attempts += 1;
      const error = errors(state.attempts);
      if (error) throw error;
      return 'done';
    });
    const over = () => {
      state.isOver = true;
    };
    ended.then(over, over);
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 250) {
        await new Promise(setImmediate);
        clock.advance(Math.min(250, ms - passed));
      }
      await new Promise(setImmediate);
      return state;
    };
    return { ended, pass, state };
  }

  it.each([
    ['no leader', refusal(10_008)],
    ['no answer', Object.assign(new Error('late'), { name: 'TimeoutError' })],
  ])('are asked again four times a second while there is %s', async (_, error) => {
    const { ended, pass, state } = retrying((attempt) => (attempt <= 3 ? error : undefined));
    expect((await pass(0)).attempts).toBe(1);
    expect((await pass(249)).attempts).toBe(1);
    expect((await pass(1)).attempts).toBe(2);
    await pass(500);
    await expect(ended).resolves.toBe('done');
    expect(state.attempts).toBe(4);
  });

  it('are asked for twenty seconds', async () => {
    const { ended, pass, state } = retrying(() => refusal(10_008));
    await pass(20_000);
    expect([state.attempts, state.isOver]).toEqual([81, false]);
    await pass(250);
    await expect(ended).rejects.toMatchObject({ code: 10_008 });
    expect(state.attempts).toBe(82);
  });

  it('are not asked again after any other refusal', async () => {
    const { ended, state } = retrying(() => refusal(10_059));
    await expect(ended).rejects.toMatchObject({ code: 10_059 });
    expect(state.attempts).toBe(1);
  });
});

it.each(['a', 'docks', '0', 'a-b', 'x'.repeat(32), `a${'-'.repeat(30)}b`])(
  'takes %s as the name of a network',
  (name) => {
    expect(checkNetworkName(name)).toBe(name);
  },
);

it.each(['', 'Docks', '-a', 'a-', 'a.b', 'a b', 'a*', 'ü', 'x'.repeat(33)])('refuses %j as the name of one', (name) => {
  expect(() => checkNetworkName(name)).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      message: `"${name}" is no name of a network: use 1 to 32 lower-case letters, digits and hyphens.`,
      details: { path: 'network' },
    }),
  );
});

it('knows the codes of refusals by JetStream from those of the system', () => {
  expect([refusal(10_059), { code: 'ENOENT' }, null, undefined, new Error('x')].map(jetStreamCode)).toEqual([
    ...[10_059, undefined, undefined, undefined, undefined],
  ]);
});

it.each<[string | undefined, string]>([
  ['meshd network 0a1b-2c_3D', '0a1b-2c_3D'],
  [`meshd network ${'x'.repeat(64)}`, 'x'.repeat(64)],
  [`meshd network ${'x'.repeat(65)}`, 'then'],
  ['meshd network ', 'then'],
  ['meshd network a b', 'then'],
  ['my meshd network one', 'then'],
  ['something else', 'then'],
  [undefined, 'then'],
])('identifies a network with the description %j as %s', (description, identity) => {
  expect(getIdentity({ config: { description }, created: 'then' } as StreamInfo)).toBe(identity);
});

it('finds the stream of a network, or says that there is none', async () => {
  const asked: string[] = [];
  const info = async (name: string) => {
    asked.push(name);
    return { created: 'then' };
  };
  expect(await findStream(managerOf({ info }), 'docks')).toEqual({ created: 'then' });
  expect([asked, toStreamName('docks')]).toEqual([['MESHD_docks'], 'MESHD_docks']);
  const failing = (code: number) => managerOf({ info: async () => Promise.reject(refusal(code)) });
  expect(await findStream(failing(10_059), 'docks')).toBeUndefined();
  await expect(findStream(failing(10_008), 'docks')).rejects.toMatchObject({ code: 10_008 });
});

it('finds one message, and its number', async () => {
  const asked: unknown[][] = [];
  const messages = managerOf({
    getMessage: async (...query: unknown[]) => {
      asked.push(query);
      return { seq: 7 };
    },
  });
  expect(await findMessage(messages, 'S', { seq: 7 })).toEqual({ seq: 7 });
  expect(await findSequence(messages, 'S', { seq: 1, next_by_subj: 'a' })).toBe(7);
  expect(asked).toEqual([
    ['S', { seq: 7 }],
    ['S', { seq: 1, next_by_subj: 'a' }],
  ]);
  const none = managerOf({ getMessage: async () => null });
  expect([await findMessage(none, 'S', { seq: 7 }), await findSequence(none, 'S', { seq: 7 })]).toEqual([
    ...[undefined, undefined],
  ]);
  const failing = (code: number) => managerOf({ getMessage: async () => Promise.reject(refusal(code)) });
  expect(await findSequence(failing(10_037), 'S', { seq: 7 })).toBeUndefined();
  await expect(findMessage(failing(10_008), 'S', { seq: 7 })).rejects.toMatchObject({ code: 10_008 });
});

it('lists the networks among all streams, by name', async () => {
  const names = async function* () {
    yield* ['MESHD_quays', 'OBJ_MESHD_quays', 'MESHD_docks', 'MESHD_Upper', 'MESHD_', 'orders'];
  };
  expect(await listNetworks(managerOf({ names }))).toEqual(['docks', 'quays']);
});

describe('Erasing', () => {
  /** A stream of the messages `first` to `last`, which erases all but `stuck`. */
  function aStream(
    first: number,
    last: number,
    { denied = false, stuck = [] as number[], gone = [] as number[] } = {},
  ) {
    const erased: [number, boolean][] = [];
    const purged: unknown[] = [];
    const state = { atOnce: 0, most: 0 };
    const manager = managerOf({
      info: async () => ({ state: { first_seq: first, last_seq: last }, config: { deny_delete: denied } }),
      deleteMessage: async (_: string, seq: number, isErased: boolean) => {
        state.atOnce += 1;
        state.most = Math.max(state.most, state.atOnce);
        await new Promise(setImmediate);
        state.atOnce -= 1;
        if (stuck.includes(seq) || gone.includes(seq)) throw new Error(`message ${seq} is not erased`);
        erased.push([seq, isErased]);
      },
      getMessage: async (_: string, { seq }: { seq: number }) => (gone.includes(seq) ? null : { seq }),
      purge: async (_: string, bounds: object) => purged.push(bounds),
    });
    const erase = (to: number) => eraseMessages(manager, 'S', to);
    return { erase, erased, purged, state, numbers: () => erased.map(([seq]) => seq) };
  }

  it('overwrites the messages up to a number, and none of those after it', async () => {
    const { erase, erased } = aStream(3, 9);
    await erase(5);
    expect(erased).toEqual([
      [3, true],
      [4, true],
      [5, true],
    ]);
    const done = aStream(6, 9);
    await done.erase(5);
    expect(done.erased).toEqual([]);
  });

  it('keeps the newest message', async () => {
    for (const to of [4, 5, 99]) {
      const { erase, numbers } = aStream(3, 5);
      await erase(to);
      expect(numbers()).toEqual([3, 4]);
    }
  });

  it('overwrites 64 messages at the same time, the oldest first', async () => {
    const { erase, numbers, state } = aStream(1, 200);
    await erase(130);
    expect([state.most, numbers().length]).toEqual([64, 130]);
    expect(numbers()).toEqual([...numbers()].sort((a, b) => a - b));
  });

  it('goes on where another daemon was faster, and says what was not erased', async () => {
    const { erase, numbers } = aStream(1, 9, { gone: [2] });
    await erase(3);
    expect(numbers()).toEqual([1, 3]);
    await expect(aStream(1, 9, { stuck: [2] }).erase(3)).rejects.toThrow('message 2 is not erased');
  });

  it('removes messages where the stream forbids to erase them', async () => {
    const { erase, erased, purged } = aStream(1, 9, { denied: true });
    await erase(0);
    expect(purged).toEqual([]);
    await erase(1);
    await erase(99);
    expect([purged, erased]).toEqual([[{ seq: 2 }, { seq: 9 }], []]);
  });
});
