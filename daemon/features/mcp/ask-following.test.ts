import { describe, expect, it } from 'vitest';
import type { AskRecord } from '../../contract/asks.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { followAsk } from './ask-following.js';

const aRecord = (given: Partial<AskRecord>) => ({ conv: 'conv-1', status: 'running', ...given }) as AskRecord;

/**
 * Follows a request whose reads give `records`, the last of them for ever. Each wait takes the seconds that were asked
 * for, after which `waited` is called; a long one takes until it is ended.
 */
function following(
  records: Partial<AskRecord>[],
  {
    isHeard = true,
    tool,
    waited = () => undefined,
    fails = false,
    isLong = false,
    takesTime = true,
  }: {
    isHeard?: boolean;
    tool?: string;
    waited?: (count: number) => void;
    fails?: boolean;
    isLong?: boolean;
    takesTime?: boolean;
  } = {},
) {
  const clock = new FakeClock();
  clock.advance(5_000);
  const [caller, daemon] = [new AbortController(), new AbortController()];
  const [told, waits, read]: [string[], number[], unknown[]] = [[], [], []];
  let count = 0;
  const asks = {
    read: async (...given: unknown[]) => {
      read.push(given);
      return aRecord(records.length > 1 ? (records.shift() ?? {}) : (records[0] ?? {}));
    },
    wait: async (_id: string, seconds: number, signal: AbortSignal) => {
      waits.push(seconds);
      if (isLong) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (takesTime) clock.advance(seconds * 1000);
      count += 1;
      waited(count);
      return signal.aborted;
    },
    cancelAsk: async (member: string, id: string) => aRecord({ status: 'error', request_id: `${member} ${id}` }),
  };
  const progress = async (seconds: number, message: string) => {
    told.push(`${seconds}: ${message}`);
    if (fails) throw new Error('disconnected');
  };
  const record = followAsk(
    { asks: asks as never, clock, lastTool: (conv) => (conv === 'conv-1' ? tool : 'of another') },
    'keeper',
    'req-1',
    { signal: caller.signal, ended: daemon.signal, progress: isHeard ? progress : undefined },
  );
  return { record, caller, daemon, told, waits, read };
}

describe('Following a request', () => {
  it.each(['done', 'error'] as const)('ends with its record when it is %s', async (status) => {
    const { record, waits, read, told } = following([{ status }]);
    expect((await record).status).toBe(status);
    expect([waits, read, told]).toEqual([[], [['keeper', 'req-1']], []]);
  });

  it('tells each second how far it is, and waits a minute at a time for a caller that does not listen', async () => {
    const heard = following([{}, {}, { status: 'done' }]);
    await heard.record;
    expect([heard.waits, heard.told]).toEqual([
      [1, 1],
      ['0: Running for 0 s.', '1: Running for 1 s.'],
    ]);
    const unheard = following([{}, {}, { status: 'done' }], { isHeard: false });
    await unheard.record;
    expect(unheard.waits).toEqual([60, 60]);
  });

  it('does not end because its caller cannot be told', async () => {
    const { record, told } = following([{}, {}, { status: 'done' }], { fails: true });
    expect((await record).status).toBe('done');
    expect(told).toHaveLength(2);
  });

  it.each<[Partial<AskRecord>, string | undefined, string]>([
    [{ status: 'queued' }, undefined, 'Queued.'],
    [{ status: 'queued', queue_position: 3 }, undefined, 'Queued, place 3.'],
    [{ status: 'needs_input' }, undefined, 'Waits for a person to decide.'],
    [{ progress: { stage: 'reading', done: 2, total: 7 } }, undefined, 'Running for 0 s: reading, 2 of 7.'],
    [{ progress: { stage: 'reading', done: 0, total: 0 } }, undefined, 'Running for 0 s: reading.'],
    [{ progress: { stage: 'reading', done: 2, total: 7 } }, 'grep', 'Running for 0 s: grep.'],
    [{}, 'x'.repeat(121), `Running for 0 s: ${'x'.repeat(120)}.`],
  ])('tells of %j with the tool %j', async (given, tool, message) => {
    const { record, told } = following([given, { status: 'done' }], tool === undefined ? {} : { tool });
    await record;
    expect(told).toEqual([`0: ${message}`]);
  });

  it('is given up after fifteen minutes, with the id to read it later', async () => {
    const { record, waits } = following([{}], { isHeard: false });
    await expect(record).rejects.toMatchObject({
      code: 'deadline',
      message: 'No answer within 900 s: the request goes on, read it later.',
      details: { request_id: 'req-1' },
    });
    expect(waits).toHaveLength(15);
  });

  it('that has just ended is not given up', async () => {
    const records: Partial<AskRecord>[] = [...Array.from({ length: 15 }, () => ({})), { status: 'done' }];
    expect((await following(records, { isHeard: false }).record).status).toBe('done');
  });

  it('cancels it when the caller cancels, which ends the wait', async () => {
    const one = following([{}], { waited: (count) => count === 2 && one.caller.abort() });
    expect(await one.record).toMatchObject({ status: 'error', request_id: 'keeper req-1' });
    expect(one.waits).toHaveLength(2);
  });

  it('lets it go on when the daemon lets go of its callers, even when those cancel at once', async () => {
    const one = following([{}], {
      waited() {
        one.daemon.abort();
        one.caller.abort();
      },
    });
    await expect(one.record).rejects.toMatchObject({
      code: 'overloaded',
      message: 'The daemon lets go of its callers: read the request later.',
      details: { request_id: 'req-1' },
    });
    expect(one.waits).toHaveLength(1);
  });

  it.each(['caller', 'daemon'] as const)('ends its wait when the %s does', async (who) => {
    const one = following([{}], { isLong: true });
    while (one.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    one[who].abort();
    expect(await one.record.then(({ status }) => status).catch(({ code }) => code)).toBe(
      who === 'caller' ? 'error' : 'overloaded',
    );
  });

  it('tells nothing twice while no time has passed', async () => {
    const { record, told } = following([{}, { status: 'needs_input' }, { status: 'done' }], { takesTime: false });
    await record;
    expect(told).toEqual(['0: Running for 0 s.']);
  });
});
