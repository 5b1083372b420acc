import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import type { Command } from '../../shared-log/shared-log.js';
import { NetworkReplica, TEST_NETWORK } from '../../testing/apps/network-replica.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Applied } from './command-applier.js';
import { commandSubject, signCommand } from './command-envelope.js';
import { JetStreamLog } from './jetstream-log.js';
import { readState, setSnapshotSequence } from './network-store.js';

interface Stored {
  seq: number;
  subject: string;
  data: Uint8Array;
  timestampNanos: bigint;
  time: Date;
  ack(): void;
}

/** The stream of a network in memory, with one consumer. */
class FakeStream {
  readonly messages: Stored[] = [];
  identity = 'one';
  first = 1;
  exists = true;
  /** From which messages its consumer was told to begin. */
  readonly begins: number[] = [];
  /** Numbers of messages that were erased. */
  readonly erased = new Set<number>();
  private next = 1;
  private fetch: { wake(): void; stop(error?: Error): void } | undefined;

  constructor(private readonly clock: FakeClock) {}

  private readonly consumer = {
    fetch: async () => this.read(),
    info: async () => ({ delivered: { stream_seq: 0 } }),
  };

  readonly manager = {
    streams: {
      info: async () => {
        if (!this.exists) throw Object.assign(new Error('stream not found'), { code: 10_059 });
        return {
          config: { description: `meshd network ${this.identity}` },
          state: { first_seq: this.first, last_seq: this.messages.length },
        };
      },
      getMessage: async (_: string, { seq }: { seq: number }) =>
        this.erased.has(seq) ? null : (this.messages[seq - 1] ?? null),
    },
    consumers: {
      delete: async () => true,
      add: async (_: string, { opt_start_seq }: { opt_start_seq: number }) => {
        this.begins.push(opt_start_seq);
        this.next = opt_start_seq;
      },
    },
    jetstream: () => ({ consumers: { get: async () => this.consumer } }),
  } as unknown as JetStreamManager;

  /** Stores a message, and gives it to who reads. Returns its number. */
  store(subject: string, data: string): number {
    const seq = this.messages.length + 1;
    const [time, ack] = [new Date(this.clock.now()), () => undefined];
    const timestampNanos = BigInt(this.clock.now()) * 1_000_000n;
    this.messages.push({ seq, subject, data: Buffer.from(data), timestampNanos, time, ack });
    this.fetch?.wake();
    return seq;
  }

  private read(): AsyncIterable<Stored> & { stop(error?: Error): void } {
    const state: { error: Error | undefined; isOver: boolean } = { error: undefined, isOver: false };
    let wake = (): void => undefined;
    const stop = (error?: Error) => {
      Object.assign(state, { error, isOver: true });
      wake();
    };
    this.fetch = { wake: () => wake(), stop };
    const take = () => (state.isOver ? undefined : this.messages[this.next - 1]);
    const advance = () => {
      this.next += 1;
    };
    return {
      stop,
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const message = take();
          if (message) {
            advance();
            yield message;
          } else if (state.error) throw state.error;
          else if (state.isOver) return;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      },
    };
  }
}

const settle = async () => {
  for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
};

type Publish = (subject: string, data: string, options: object) => Promise<{ seq: number }>;

interface LogOptions {
  publish?: Publish;
  onApplied?: (applied: Applied) => void;
  applied?: (command: Command) => void;
  loadSnapshot?: (asked: object) => Promise<void>;
  /** Called before the log is started. */
  before?: (opened: { replica: NetworkReplica; stream: FakeStream }) => void;
}

/** A log over a stream in memory, which it follows from the beginning. */
function openLog({ publish, onApplied, applied, loadSnapshot, before }: LogOptions = {}) {
  const clock = new FakeClock();
  const stream = new FakeStream(clock);
  const replica = NetworkReplica.create(temporaryFolder());
  onTestFinished(() => replica.database.close());
  replica.begin('one');
  before?.({ replica, stream });
  const published: [string, object][] = [];
  const news = new PassThrough({ objectMode: true });
  const state = { isClosed: false };
  const connection = { status: () => news, isClosed: () => state.isClosed } as unknown as NatsConnection;
  const store: Publish = async (subject, data) => ({ seq: stream.store(subject, data) });
  const log = new JetStreamLog({
    ...{ connection, clock, network: TEST_NETWORK, manager: stream.manager },
    ...{ key: replica.key, database: replica.database, applier: replica.createApplier(), onApplied },
    client: {
      publish: (subject: string, data: string, options: object) => {
        published.push([subject, options]);
        return (publish ?? store)(subject, data, options);
      },
    } as never,
    kinds: { applied: async (command) => applied?.(command) },
    warn: (message) => replica.warnings.push(message),
    loadSnapshot: (asked) => (loadSnapshot ? loadSnapshot(asked) : Promise.reject(new Error('no snapshot'))),
  });
  log.start();
  onTestFinished(() => log.stop());
  const tell = async (status: object) => {
    news.write(status);
    await settle();
  };
  /** Waits until nothing happens any more, and then lets so much time pass. */
  const pass = async (ms: number) => {
    await settle();
    clock.advance(ms);
    await settle();
  };
  const claim = (berth: string) => log.submit('berth.claim', berth, { holder: 'Aurora' });
  return { log, clock, stream, replica, published, state, news, tell, pass, claim };
}

/** Signs a command as another daemon does. */
function signed(clock: FakeClock, entity: string, changes: Partial<Command> = {}, key = newKey()): [string, string] {
  const command: Command = {
    ...{ schema: 1, id: randomUUID(), kind: 'berth.claim', entity, at: clock.now(), daemon: idOf(key) },
    ...{ body: { holder: 'Borneo' }, ...changes },
  };
  return [commandSubject(TEST_NETWORK, command), signCommand(key, TEST_NETWORK, command)];
}

it('publishes a change under its id, and resolves once it is applied here', async () => {
  const { log, claim, published, replica } = openLog();
  await expect(claim('b1')).resolves.toEqual({ holder: 'Aurora' });
  const options = { msgID: expect.stringMatching(/^[0-9a-f-]{36}$/), timeout: 2_500 };
  expect(published).toEqual([['m.harbour.cmd.berth.claim.b1', options]]);
  expect([log.isShared, log.sequence, replica.berths()]).toEqual([true, 1, { b1: 'Aurora' }]);
  await expect(claim('b1')).rejects.toMatchObject({
    ...{ code: 'agent_id_claimed', message: 'The berth b1 is taken.', details: {} },
  });
});

it('resolves as soon as it is applied here, whatever becomes of the confirmation', async () => {
  const opened = openLog({
    publish: (subject, data) => {
      opened.stream.store(subject, data);
      return new Promise(() => undefined);
    },
  });
  await expect(opened.claim('b1')).resolves.toEqual({ holder: 'Aurora' });
});

it('says after ten seconds that a change was stored and has not arrived', async () => {
  const { claim, pass } = openLog({ publish: async () => ({ seq: 1 }) });
  await pass(5_000);
  const late = claim('b1');
  const state = { isOver: false };
  late.catch(() => {
    state.isOver = true;
  });
  await pass(9_999);
  expect(state.isOver).toBe(false);
  await pass(1);
  await expect(late).rejects.toMatchObject({
    code: 'network_unavailable',
    message: 'The servers stored the change, and this daemon has not received it yet.',
  });
});

it('asks again every 200 ms, as long as ten seconds last and there is a connection', async () => {
  const fails = async () => Promise.reject(Object.assign(new Error('no answer'), { name: 'TimeoutError' }));
  const unsure = {
    code: 'network_unavailable',
    message:
      'No majority of the network’s servers confirmed it. The change may still take effect: look before you send it ' +
      'again.',
  };
  const patient = openLog({ publish: fails });
  const late = patient.claim('b1');
  late.catch(() => undefined);
  for (let passed = 0; passed < 10_000; passed += 200) await patient.pass(200);
  await expect(late).rejects.toMatchObject(unsure);
  expect(patient.published).toHaveLength(50);
  expect(new Set(patient.published.map(([, options]) => (options as { msgID: string }).msgID)).size).toBe(1);
  const cut = openLog({ publish: fails });
  const soon = cut.claim('b1');
  soon.catch(() => undefined);
  await cut.tell({ type: 'disconnect' });
  await cut.pass(200);
  await expect(soon).rejects.toMatchObject(unsure);
  expect(cut.published).toHaveLength(2);
});

const UNCERTAIN = 'The change may still take effect: look before you send it again.';

it('is unsure of a change once one attempt could have stored it', async () => {
  const errors = ['JetStreamNotEnabled', 'TimeoutError', 'JetStreamNotEnabled'];
  const ending = async (names: string[]) => {
    const attempts = [...names];
    const opened = openLog({
      publish: async () =>
        Promise.reject(Object.assign(new Error('no'), { name: attempts.length > 1 ? attempts.shift() : attempts[0] })),
    });
    const failed = opened.claim('b1').catch((error: Error) => error.message);
    for (let count = 1; count < names.length; count += 1) await opened.pass(200);
    await opened.tell({ type: 'disconnect' });
    await opened.pass(200);
    return failed;
  };
  expect(await ending(errors.slice(0, 1))).toBe(
    'No majority of the network’s servers confirmed it. Nothing was changed.',
  );
  expect(await ending(errors)).toContain('may still take effect');
});

it.each([
  ['of a certain refusal', [{ code: 10_054 }], 'Nothing was changed: the servers refused it (no).'],
  ['that may be stored all the same', [{ code: 10_077 }], `The servers refused it (no). ${UNCERTAIN}`],
  ['after one that was not answered', [{}, { code: 10_054 }], `The servers refused it (no). ${UNCERTAIN}`],
])('says what may have become of a change %s', async (_, attempts, message) => {
  const { claim, pass } = openLog({
    publish: async () => Promise.reject(Object.assign(new Error('no'), { name: 'TimeoutError' }, attempts.shift())),
  });
  const failed = expect(claim('b1')).rejects.toMatchObject({ code: 'network_unavailable', message });
  await pass(200);
  await failed;
});

it('ends what waits when it is stopped', async () => {
  const { log, claim } = openLog({ publish: async () => ({ seq: 1 }) });
  const waiting = claim('b1');
  waiting.catch(() => undefined);
  await settle();
  await log.stop();
  await expect(waiting).rejects.toMatchObject({
    code: 'network_unavailable',
    message: 'The daemon left the network or stops.',
  });
});

it('refuses a change without a connection, at once', async () => {
  const { log, claim, published, state, tell, news } = openLog();
  const none = {
    code: 'network_unavailable',
    message:
      'Nothing was changed: there is no connection to the servers of the network. Reading goes on; see `meshd ' +
      'network status`.',
  };
  expect(log.state).toEqual({
    ...{ isConnected: true, cannotFollow: undefined, problem: undefined, refusedCount: 0, refusals: [] },
  });
  await tell({ type: 'disconnect' });
  expect(log.state.isConnected).toBe(false);
  await expect(claim('b1')).rejects.toMatchObject(none);
  await tell({ type: 'reconnect' });
  expect(log.state.isConnected).toBe(true);
  state.isClosed = true;
  await expect(claim('b1')).rejects.toMatchObject(none);
  state.isClosed = false;
  expect(published).toEqual([]);
  news.end();
  await settle();
  expect(log.state.isConnected).toBe(false);
});

it.each([
  ['AuthorizationError', true],
  ['UserAuthenticationExpiredError', true],
  ['ProtocolError', false],
])('says that its credentials are refused after %s: %s', async (name, isSaid) => {
  const { log, tell } = openLog();
  await tell({ type: 'error', error: { name, message: 'no' } });
  const problem =
    'the servers refuse the credentials of this daemon (no): meshd network join with the same address and --creds ' +
    '<file> replaces them';
  expect(log.state.problem).toBe(isSaid ? problem : undefined);
  expect(log.state.isConnected).toBe(true);
  await tell({ type: 'reconnect' });
  expect(log.state.problem).toBeUndefined();
});

it('reads on behind what is applied when the connection comes back', async () => {
  const { stream, replica, clock, pass, tell, claim } = openLog();
  await claim('b1');
  await tell({ type: 'reconnect' });
  stream.store(...signed(clock, 'b2'));
  await pass(500);
  expect([stream.begins, Object.keys(replica.berths())]).toEqual([
    [1, 2],
    ['b1', 'b2'],
  ]);
});

it('lists the newest twenty refusals, counts all of them, and warns of the first', async () => {
  const { stream, clock, log, replica, pass } = openLog();
  for (let number = 1; number <= 22; number += 1)
    stream.store(...signed(clock, `b${number}`, { at: clock.now() - 7_200_000 }));
  const thief = newKey();
  stream.store(...signed(clock, 'b23', { kind: 'berth.sink' }, thief));
  await pass(0);
  const { refusedCount, refusals } = log.state;
  expect([refusedCount, refusals.length, replica.warnings.length]).toEqual([23, 20, 20]);
  expect(refusals.slice(0, 2)).toEqual([
    { sequence: 23, reason: 'kind', message: '"berth.sink" is no kind of command.', key: idOf(thief) },
    { sequence: 22, reason: 'clock', message: expect.stringContaining('7200 seconds behind'), key: undefined },
  ]);
  expect(replica.warnings[0]).toBe(`command 1 of the network was refused: ${refusals.at(-1)?.message}`);
  // What is given out is a copy.
  refusals.length = 0;
  expect(log.state.refusals).toHaveLength(20);
});

it('tells of each message once it is applied, and what follows it even when that fails', async () => {
  const told: Applied[] = [];
  const followed: string[] = [];
  const { claim, replica, stream, clock, pass } = openLog({
    onApplied: (applied) => told.push(applied),
    applied: ({ entity }) => {
      followed.push(entity);
      if (entity === 'b1') throw new Error('no mail');
    },
  });
  await expect(claim('b1')).resolves.toEqual({ holder: 'Aurora' });
  expect(replica.warnings).toEqual(['what follows command berth.claim of the network failed: no mail']);
  await expect(claim('b1')).rejects.toMatchObject({ code: 'agent_id_claimed' });
  stream.store(...signed(clock, 'b2'));
  await pass(0);
  expect(followed).toEqual(['b1', 'b2']);
  expect(told.map(({ sequence, outcome }) => [sequence, outcome.ok])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ]);
});

it('applies nothing while it is paused, and goes on afterwards', async () => {
  const { log, stream, clock, replica, pass } = openLog();
  await settle();
  stream.store(...signed(clock, 'b1'));
  await settle();
  let finish = (): void => undefined;
  const paused = log.whilePaused(async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return Object.keys(replica.berths());
  });
  await settle();
  stream.store(...signed(clock, 'b2'));
  await settle();
  await expect(log.whilePaused(async () => 1)).rejects.toThrow('Applying is paused already.');
  finish();
  expect(await paused).toEqual(['b1']);
  await pass(0);
  expect(Object.keys(replica.berths())).toEqual(['b1', 'b2']);
  await expect(log.whilePaused(() => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  stream.store(...signed(clock, 'b3'));
  await pass(0);
  expect(Object.keys(replica.berths())).toEqual(['b1', 'b2', 'b3']);
});

it('pauses behind what it was given before', async () => {
  const { log, stream, clock, replica } = openLog();
  await settle();
  stream.store(...signed(clock, 'b1'));
  // It is given on now, and not applied yet.
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  expect(replica.berths()).toEqual({});
  expect(await log.whilePaused(async () => Object.keys(replica.berths()))).toEqual(['b1']);
});

it('stops for good where its network was created anew', async () => {
  const { log, replica, claim, pass } = openLog({
    before: ({ stream }) => {
      stream.identity = 'two';
    },
  });
  await pass(0);
  const message = 'the network "harbour" was created anew: leave it, and join it again.';
  expect(log.state).toMatchObject({ cannotFollow: message, problem: message });
  expect(replica.warnings).toEqual([`the network is not followed: ${message}`]);
  await expect(claim('b1')).rejects.toMatchObject({ message: `Nothing was changed: ${message}` });
});

it('says once why it does not follow, and goes on when it can', async () => {
  const { log, stream, replica, clock, pass } = openLog({
    before: (opened) => {
      opened.stream.exists = false;
    },
  });
  for (let count = 0; count < 3; count += 1) await pass(500);
  const problem = 'the servers have no network "harbour"';
  expect([log.state.problem, log.state.cannotFollow]).toEqual([problem, undefined]);
  expect(replica.warnings).toEqual([`the network is not followed: ${problem}`]);
  stream.exists = true;
  stream.store(...signed(clock, 'b1'));
  await pass(500);
  expect([log.state.problem, Object.keys(replica.berths())]).toEqual([undefined, ['b1']]);
});

it('ends without a word when its connection was closed', async () => {
  const { log, replica, state, pass, clock } = openLog({
    before: (opened) => {
      opened.stream.exists = false;
    },
  });
  state.isClosed = true;
  await pass(500);
  expect([log.state.problem, replica.warnings, clock.pending]).toEqual([undefined, [], 0]);
});

const at = (replica: NetworkReplica, sequence: number, loading: string | null = null) =>
  replica.database.sql('UPDATE network_state SET sequence = ?, loading = ?').run(sequence, loading);

it.each<[string, (opened: { replica: NetworkReplica; stream: FakeStream }) => void, object | undefined]>([
  ['that holds every command', () => undefined, undefined],
  [
    'that is incomplete here, wherever it stands',
    ({ replica }) => at(replica, 9, 'newest'),
    { firstSequence: 1, lastSequence: 3 },
  ],
  ['that is incomplete here', ({ replica }) => at(replica, 0, 'newest'), { firstSequence: 1, lastSequence: 3 }],
  [
    'whose next command is erased',
    ({ replica, stream }) => {
      at(replica, 1);
      stream.first = 3;
      stream.erased.add(1);
    },
    { firstSequence: 3, lastSequence: 3 },
  ],
  [
    'whose next command is missing among others',
    ({ replica, stream }) => {
      at(replica, 1);
      for (const seq of [1, 2]) stream.erased.add(seq);
    },
    { firstSequence: 3, lastSequence: 3 },
  ],
  [
    'that begins at the next command',
    ({ replica, stream }) => {
      at(replica, 1);
      stream.first = 2;
      stream.erased.add(1);
    },
    undefined,
  ],
  [
    'that is applied up to its last command',
    ({ replica, stream }) => {
      at(replica, 3);
      stream.erased.add(3);
    },
    undefined,
  ],
])('loads a snapshot of a stream %s only where it must', async (_, prepare, asked) => {
  const loaded: object[] = [];
  const { pass } = openLog({
    before: ({ replica, stream }) => {
      const clock = new FakeClock();
      for (const berth of ['b1', 'b2', 'b3']) stream.store(...signed(clock, berth));
      prepare({ replica, stream });
    },
    loadSnapshot: async (wanted) => {
      loaded.push(wanted);
      throw new Error('no snapshot');
    },
  });
  await pass(0);
  expect(loaded).toEqual(asked ? [{ identity: 'one', ...asked }] : []);
});

it('reads on after the snapshot that it loaded', async () => {
  const { replica, stream, clock, pass } = openLog({
    before: (opened) => {
      at(opened.replica, 0, 'newest');
    },
    loadSnapshot: async () => {
      at(replica, 2);
      setSnapshotSequence(replica.database, 2);
    },
  });
  for (const berth of ['b1', 'b2', 'b3']) stream.store(...signed(clock, berth));
  await pass(0);
  expect([Object.keys(replica.berths()), readState(replica.database)?.sequence]).toEqual([['b3'], 3]);
});

it('waits half a minute for servers that are behind it, and takes no change meanwhile', async () => {
  const { log, stream, replica, clock, claim, pass, tell } = openLog({
    before: (opened) => void at(opened.replica, 2),
  });
  await pass(0);
  const lost = 'the servers of the network have lost changes: their newest change is number 0, this daemon’s 2.';
  expect([log.state.problem, log.state.cannotFollow]).toEqual([lost, undefined]);
  await expect(claim('b1')).rejects.toMatchObject({ message: `Nothing was changed: ${lost}` });
  for (const berth of ['b1', 'b2']) stream.store(...signed(clock, berth));
  stream.erased.add(2);
  stream.store(...signed(clock, 'b3'));
  await pass(500);
  expect([log.state.problem, Object.keys(replica.berths())]).toEqual([undefined, ['b3']]);
  await expect(claim('b4')).resolves.toEqual({ holder: 'Aurora' });
  // Later servers get their half minute, too.
  await pass(60_000);
  stream.messages.length = 1;
  await tell({ type: 'reconnect' });
  await pass(500);
  expect(log.state.problem).toContain('their newest change is number 1, this daemon’s 4.');
  expect(log.state.cannotFollow).toBeUndefined();
});

it('stops for good where the servers stay behind it', async () => {
  const { log, claim, pass } = openLog({ before: (opened) => void at(opened.replica, 2) });
  await pass(0);
  await pass(29_500);
  expect(log.state.cannotFollow).toBeUndefined();
  await pass(500);
  const lost =
    'the servers of the network have lost changes: their newest change is number 0, this daemon’s 2. Leave it, and ' +
    'join it again: what is here is set aside.';
  expect(log.state).toMatchObject({ cannotFollow: lost, problem: lost });
  await expect(claim('b1')).rejects.toMatchObject({ message: `Nothing was changed: ${lost}` });
});

it('stops at a command of a newer schema, and says of which daemon it is', async () => {
  const { log, stream, clock, replica, claim, pass } = openLog();
  const { key } = replica;
  await claim('b1');
  stream.store(...signed(clock, 'b2', { schema: 2 as 1 }, key));
  await pass(0);
  const message =
    `this meshd is too old for the network (command 2: It has schema 2, and this meshd knows 1. It is of the daemon ` +
    `${idOf(key)}). Upgrade meshd; until then it shows the state before that command.`;
  expect(log.state).toMatchObject({ cannotFollow: message, problem: message });
  expect(replica.warnings).toEqual([`the network is not followed: ${message}`]);
  await expect(claim('b3')).rejects.toMatchObject({ message: `Nothing was changed: ${message}` });
});
