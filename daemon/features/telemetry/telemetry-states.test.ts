import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToolCall } from '../../contract/conversations.js';
import { Bus } from '../../events/bus.js';
import type { AnsweredRequest } from '../../http/create-server.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { OtlpCollector } from '../../testing/stand-ins/otlp-collector.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { Otlp } from './otlp.js';
import { Telemetry } from './telemetry.js';
import { parseTelemetry, stringifyTelemetry } from './telemetry-settings.js';
import { ToolTimes } from './tool-times.js';
import type { TurnRecord } from './turn-record.js';
import type { TurnRecorder } from './turn-recorder.js';

const REQUEST: AnsweredRequest = { method: 'GET', route: '/team', area: 'team', status: 200, ms: 1 };
const tick = () => new Promise((resume) => setImmediate(resume));

function staged(file: JsonObject | null = null) {
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const [warnings, faults, calls]: [string[], unknown[], string[]] = [[], [], []];
  const stage = {
    file,
    readFault: undefined as Error | undefined,
    openFault: undefined as Error | undefined,
    opening: async () => undefined as unknown,
    mayWrite: true,
    record: { turn: 't', startedMs: 1, tools: [] } as unknown as TurnRecord | undefined,
    metrics: async () => '{"metrics":1}',
    write: (): string | undefined => '{"spans":1}',
  };
  const recorder = {
    tools: new ToolTimes(),
    record: (_change: unknown, isWithContent: boolean) => {
      calls.push(`record ${isWithContent}`);
      if (!stage.record) return undefined;
      return stage.record;
    },
  };
  const otlp = {
    countTurn: () => void calls.push('countTurn'),
    countRequest: () => void calls.push('countRequest'),
    writeTurns: () => stage.write(),
    writeMetrics: () => stage.metrics(),
    writeTest: (_id: string, nowMs: number) => ({ body: `{"test":${nowMs}}`, traceId: 'trace' }),
  } as unknown as Otlp;
  const telemetry = new Telemetry({
    store: new JsonStore(
      {
        read: async () => {
          if (stage.readFault) throw stage.readFault;
          return stage.file;
        },
        write: async (content: JsonObject) => {
          stage.file = content;
        },
      } as ConstructorParameters<typeof JsonStore>[0],
      { parse: parseTelemetry, stringify: stringifyTelemetry },
    ),
    recorder: recorder as unknown as TurnRecorder,
    openOtlp: async () => {
      calls.push('open');
      await stage.opening();
      if (stage.openFault) throw stage.openFault;
      return otlp;
    },
    address: () => 'http://127.0.0.1:9',
    mayWriteSecrets: async () => stage.mayWrite,
    bus,
    clock,
    warn: (message) => void warnings.push(message),
    onFault: (error) => void faults.push(error),
  });
  onTestFinished(async () => {
    await telemetry.off();
  });
  /** Lets a turn end, and its end be durable. */
  const endTurn = (kind: 'ended' | 'started' = 'ended', isDurable = true) =>
    telemetry.follow(
      { kind } as TurnChange,
      { afterCommit: (callback: () => void) => isDurable && callback() } as unknown as Transaction,
    );
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await tick();
  };
  return { telemetry, clock, bus, warnings, faults, calls, stage, recorder, endTurn, until };
}

const OFF = {
  ...{ address: null, content: false, header_names: [], sent: 0, queued: 0, dropped: 0 },
  ...{ last_success_at: null, last_error: null },
};

describe('telemetry that is off', () => {
  it('records nothing and loads nothing', async () => {
    const { telemetry, calls, clock, endTurn, stage } = staged();
    await telemetry.start();
    endTurn();
    telemetry.countRequest(REQUEST);
    expect([calls, clock.pending, telemetry.view()]).toEqual([[], 0, OFF]);
    await telemetry.stop();
    await expect(telemetry.test(new AbortController().signal)).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'Telemetry is off: set the address of a collector first.' },
    });
    expect([await telemetry.off(), stage.file]).toEqual([OFF, null]);
  });

  it('because its file cannot be read is told, and the daemon starts', async () => {
    const { telemetry, stage, faults } = staged();
    stage.readFault = new Error('No disk.');
    await telemetry.start();
    expect(faults).toEqual([stage.readFault]);
    stage.readFault = undefined;
  });
});

describe('telemetry that is on', () => {
  it('was so before the start, with what was saved', async () => {
    const { telemetry, calls } = staged({
      address: 'https://collector.example',
      content: true,
      headers: [{ name: 'x-key', value: 'secret' }],
    });
    await telemetry.start();
    expect(telemetry.view()).toEqual({
      ...OFF,
      ...{ address: 'https://collector.example', content: true, header_names: ['x-key'] },
    });
    expect(calls).toEqual(['open']);
  });

  it('records turns once they are durable, and counts requests', async () => {
    const { telemetry, calls, endTurn, stage, faults } = staged();
    await telemetry.set({ address: 'https://collector.example' });
    endTurn('started');
    endTurn('ended', false);
    expect(calls).toEqual(['open']);
    endTurn();
    telemetry.countRequest(REQUEST);
    expect(calls.splice(0)).toEqual(['open', 'record false', 'countTurn', 'countRequest']);
    expect(telemetry.view().queued).toBe(1);
    stage.record = undefined;
    endTurn();
    expect([calls.splice(0), telemetry.view().queued, faults]).toEqual([['record false'], 1, []]);
    await telemetry.set({ address: 'https://collector.example', content: true });
    endTurn();
    expect(calls).toEqual(['open', 'record true']);
  });

  it('tells a fault of a record, and goes on', async () => {
    const { telemetry, recorder, faults, endTurn } = staged();
    await telemetry.set({ address: 'https://collector.example' });
    const fault = new Error('Broken.');
    recorder.record = () => {
      throw fault;
    };
    endTurn();
    expect(faults).toEqual([fault]);
  });

  it('follows the tool calls of turns while it is on', async () => {
    const { telemetry, bus, recorder, clock } = staged();
    const publish = () =>
      bus.publish('turn.tool', {
        turn: 't',
        call: { id: 'c', name: 'Read', target: 'src', state: 'done' } as ToolCall,
      } as Parameters<typeof bus.publish<'turn.tool'>>[1]);
    publish();
    expect(recorder.tools.take('t')).toEqual([]);
    await telemetry.set({ address: 'https://collector.example', content: true });
    publish();
    expect(recorder.tools.take('t')).toMatchObject([{ id: 'c', startedMs: clock.now(), input: 'src' }]);
    publish();
    await telemetry.off();
    expect(recorder.tools.take('t')).toEqual([]);
    publish();
    expect(recorder.tools.take('t')).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is not begun anew by settings that change nothing', async () => {
    const { telemetry, calls, stage } = staged();
    await telemetry.set({ address: 'https://collector.example' });
    stage.file = null;
    await telemetry.start();
    expect(calls).toEqual(['open']);
  });
});

describe('settings', () => {
  it('that are changed twice at once take effect one after another', async () => {
    const { telemetry, clock, stage } = staged();
    stage.opening = tick;
    const set = (address: string) => telemetry.set({ address });
    await Promise.all([set('https://one.example'), set('https://two.example')]);
    expect([telemetry.view().address, clock.pending]).toEqual(['https://two.example', 1]);
  });

  it('can be changed after OpenTelemetry could not be loaded', async () => {
    const { telemetry, stage, calls } = staged();
    stage.openFault = new Error('There is no such module.');
    await expect(telemetry.set({ address: 'https://one.example' })).rejects.toThrow('no such module');
    stage.openFault = undefined;
    await telemetry.set({ address: 'https://two.example' });
    telemetry.countRequest(REQUEST);
    expect(calls).toEqual(['open', 'open', 'countRequest']);
  });
});

describe('headers', () => {
  const headers = [{ name: 'x-key', value: 'secret' }];
  const MESSAGE = 'git tracks .mesh/credentials: the headers would be published. Remove it from git first.';

  it('are refused while git would publish them', async () => {
    const { telemetry, stage } = staged();
    stage.mayWrite = false;
    await expect(telemetry.set({ address: 'https://collector.example', headers })).rejects.toMatchObject({
      ...{ code: 'forbidden', message: MESSAGE },
    });
    expect(telemetry.view().address).toBeNull();
    expect((await telemetry.set({ address: 'https://collector.example', headers: [] })).address).toBe(
      'https://collector.example',
    );
    expect((await telemetry.set({ address: 'https://collector.example' })).header_names).toEqual([]);
  });

  it('are saved where git does not', async () => {
    const { telemetry } = staged();
    expect((await telemetry.set({ address: 'https://collector.example', headers })).header_names).toEqual(['x-key']);
  });
});

describe('what is sent', () => {
  const withCollector = async () => {
    const collector = await OtlpCollector.start();
    const made = staged();
    await made.telemetry.set({ address: collector.address });
    return { ...made, collector };
  };

  it('is told with the time of the last success, and counted from the setting on', async () => {
    const { telemetry, clock, endTurn, until, collector } = await withCollector();
    endTurn();
    clock.advance(5_000);
    await until(() => telemetry.view().sent === 1);
    expect(telemetry.view()).toMatchObject({ last_success_at: '2026-11-21T12:00:05.000Z', last_error: null });
    expect(collector.requests.map(({ path, body }) => [path, body])).toEqual([['/v1/traces', '{"spans":1}']]);
    const again = await telemetry.set({ address: collector.address, content: true });
    expect([again.sent, again.last_success_at]).toEqual([0, null]);
  });

  it('is nothing for spans that cannot be written, which is told', async () => {
    const { telemetry, clock, endTurn, until, stage, faults } = await withCollector();
    const fault = new Error('Broken.');
    stage.write = () => {
      throw fault;
    };
    endTurn();
    clock.advance(5_000);
    await until(() => telemetry.view().queued === 0);
    expect([faults, telemetry.view().sent]).toEqual([[fault], 0]);
  });

  it('are metrics every minute', async () => {
    const { telemetry, clock, until, collector } = await withCollector();
    clock.advance(59_999);
    await tick();
    expect(collector.requests).toEqual([]);
    clock.advance(1);
    await until(() => telemetry.view().last_success_at !== null);
    expect(collector.requests.map(({ path, body }) => [path, body])).toEqual([['/v1/metrics', '{"metrics":1}']]);
  });

  it('are no metrics where they cannot be written, which is told', async () => {
    const { clock, until, stage, faults } = await withCollector();
    const fault = new Error('Broken.');
    stage.metrics = async () => {
      throw fault;
    };
    clock.advance(60_000);
    await until(() => faults.length > 0);
    expect(faults).toEqual([fault]);
  });

  it('is all that waits when the daemon stops', async () => {
    const { telemetry, clock, endTurn, collector } = await withCollector();
    endTurn();
    await telemetry.stop();
    expect(collector.requests.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces']);
    expect(clock.pending).toBe(0);
    endTurn();
    expect(telemetry.view().queued).toBe(0);
  });

  it('is given up a second after the daemon should stop', async () => {
    const { telemetry, clock, stage, until } = await withCollector();
    let isAsked = false;
    stage.metrics = () => {
      isAsked = true;
      return new Promise((resolve) => clock.after(1_000, () => resolve('{}')));
    };
    const stopped = telemetry.stop();
    await until(() => isAsked);
    clock.advance(1_000);
    await stopped;
    expect(telemetry.view().last_error?.message).toMatch(/^Metrics: /);
  });

  it('is nothing of what waited when it is turned off', async () => {
    const { telemetry, endTurn, collector, stage, clock } = await withCollector();
    endTurn();
    expect(await telemetry.off()).toEqual(OFF);
    expect(clock.pending).toBe(0);
    await tick();
    expect([collector.requests, stage.file]).toEqual([[], {}]);
  });
});

describe('a failure', () => {
  const withCollector = async () => {
    const collector = await OtlpCollector.start();
    const made = staged();
    await made.telemetry.set({ address: collector.address });
    const test = () => made.telemetry.test(new AbortController().signal);
    const sendMetrics = async (isDone: () => boolean) => {
      made.clock.advance(60_000);
      await made.until(isDone);
    };
    return { ...made, collector, test, sendMetrics };
  };

  it('of a test is told with the answer', async () => {
    const { telemetry, collector, test, clock } = await withCollector();
    expect(await test()).toEqual({
      ...{ ok: true, status: 200, message: 'The collector answered 200.', ms: 0, trace_id: 'trace' },
    });
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', body: `{"test":${clock.now()}}` });
    expect(telemetry.view().last_success_at).toBe('2026-11-21T12:00:00.000Z');
    collector.reply = { status: 200, body: { partialSuccess: { rejectedSpans: 1 } } };
    expect(await test()).toMatchObject({ ok: false, status: 200 });
    collector.reply = { status: 503 };
    clock.advance(1_000);
    expect(await test()).toMatchObject({ ok: false, status: 503, ms: 0, message: 'The collector answered 503.' });
    expect(telemetry.view()).toMatchObject({
      last_error: { at: '2026-11-21T12:00:01.000Z', message: 'Traces: The collector answered 503.' },
    });
  });

  it('is logged once until it is over', async () => {
    const { collector, test, warnings } = await withCollector();
    const WARNING = 'Telemetry was not sent. Traces: The collector answered 503.';
    collector.reply = { status: 503 };
    await test();
    await test();
    collector.reply = { status: 400 };
    await test();
    expect(warnings).toEqual([WARNING]);
    collector.reply = { status: 200 };
    await test();
    collector.reply = { status: 503 };
    await test();
    expect(warnings).toEqual([WARNING, WARNING]);
  });

  it('of both signals with one cause is logged once, and with two causes twice', async () => {
    const { collector, test, warnings, telemetry, sendMetrics } = await withCollector();
    collector.reply = { status: 503 };
    await test();
    await sendMetrics(() => telemetry.view().last_error?.message.startsWith('Metrics') === true);
    expect(warnings).toHaveLength(1);
    const other = await withCollector();
    other.collector.reply = { status: 503 };
    await other.test();
    other.collector.reply = { status: 400 };
    await other.sendMetrics(() => other.warnings.length === 2);
    expect(other.warnings[1]).toBe('Telemetry was not sent. Metrics: The collector answered 400.');
  });

  it('is forgotten with new settings', async () => {
    const { telemetry, collector, test, warnings } = await withCollector();
    collector.reply = { status: 503 };
    await test();
    expect((await telemetry.set({ address: collector.address, content: true })).last_error).toBeNull();
    await test();
    expect(warnings).toHaveLength(2);
  });
});
