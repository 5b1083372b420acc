import { describe, expect, it } from 'vitest';
import type { LogLinesQuery } from '../../contract/system.js';
import { DaemonLog, parseLogLine } from './daemon-log.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const line = (msg: string, more: object = {}) => JSON.stringify({ level: 30, time: NOON, msg, ...more });
const read = async (lines: readonly string[], query: LogLinesQuery = {}) =>
  (await new DaemonLog('daemon.log', async () => [...lines]).read(query)).lines.map(({ text }) => text);

describe('A line of the log', () => {
  it('has its time, level, area and text, and no details when it says nothing else', () => {
    expect(parseLogLine(line('listening'))).toEqual({
      ...{ at: '2026-11-21T12:00:00.000Z', level: 'info', area: 'daemon', text: 'listening' },
    });
  });

  it.each(['null', '7', '"words"', '[1]', '{"level":'])('that is no record, %s, is its own text', (raw) => {
    expect(parseLogLine(raw)).toEqual({ at: null, level: 'info', area: 'daemon', text: raw });
  });

  it.each([
    [10, 'trace'],
    [20, 'debug'],
    [30, 'info'],
    [40, 'warn'],
    [50, 'error'],
    [60, 'fatal'],
    [70, 'fatal'],
    [-20, 'trace'],
    [34, 'info'],
    [35, 'warn'],
    [0, 'info'],
    ['high', 'info'],
    [undefined, 'info'],
  ])('of pino level %s is of level %s', (level, expected) => {
    expect(parseLogLine(JSON.stringify({ level, msg: 'x' })).level).toBe(expected);
  });

  it.each([
    [8.64e15 - 1, '+275760-09-12T23:59:59.999Z'],
    [8.64e15, null],
    [-8.64e15, null],
    ['2026', null],
    [undefined, null],
  ])('with the time %s is at %s', (time, at) => {
    expect(parseLogLine(JSON.stringify({ time, msg: 'x' })).at).toBe(at);
  });

  it.each([
    [{ area: 'payments' }, 'payments'],
    [{ area: 'payments', reqId: 'req-1' }, 'payments'],
    [{ reqId: 'req-1' }, 'http'],
    [{ area: 'elsewhere', reqId: 'req-1' }, 'http'],
    [{ area: 'elsewhere' }, 'daemon'],
  ])('with %j is of the area %s', (more, area) => {
    expect(parseLogLine(line('x', more)).area).toBe(area);
  });

  it.each([
    [{ msg: 'said', err: { message: 'failed' } }, 'said'],
    [{ msg: '', err: { message: 'failed' } }, 'failed'],
    [{ msg: 7, err: { message: 'failed' } }, 'failed'],
    [{ err: { message: '' } }, 'no words'],
    [{ err: null }, 'no words'],
    [{}, 'no words'],
  ])('with %j says "%s"', (record, text) => {
    expect(parseLogLine(JSON.stringify(record)).text).toBe(text);
  });

  it('has the stack before whatever else it says', () => {
    const details = (more: object) => parseLogLine(line('x', more)).details;
    expect(details({ err: { stack: 'Error: x\n    at y' }, port: 1 })).toBe('Error: x\n    at y\n{"port":1}');
    expect(details({ err: { stack: 'Error: x' } })).toBe('Error: x');
    expect(details({ err: { stack: '' } })).toBeUndefined();
    expect(details({ err: { stack: 7 }, port: 1 })).toBe('{"port":1}');
  });

  it('shows 4,000 characters of its text and of its details', () => {
    const long = 'x'.repeat(4_001);
    const cut = 'x'.repeat(4_000);
    expect(parseLogLine(long).text).toBe(cut);
    expect(parseLogLine(line(long, { err: { stack: long } }))).toMatchObject({ text: cut, details: cut });
  });
});

describe('Reading the log', () => {
  it('returns the newest 200 lines, or as many as are wanted, the newest last, with its path', async () => {
    const lines = Array.from({ length: 202 }, (_, at) => line(`line ${at}`));
    const log = new DaemonLog('state/daemon.log', async () => [...lines]);
    const all = await log.read({});
    expect([all.path, all.lines.length, all.lines[0]?.text]).toEqual(['state/daemon.log', 200, 'line 2']);
    expect(await read(lines, { limit: 2 })).toEqual(['line 200', 'line 201']);
  });

  it('counts only lines that match towards the limit', async () => {
    const lines = [line('a lamp'), line('a lamp too'), line('a horn'), line('a lamp again'), line('a bell')];
    expect(await read(lines, { q: 'lamp', limit: 2 })).toEqual(['a lamp too', 'a lamp again']);
  });

  it('selects a level and those above it, without a level all of them', async () => {
    const lines = [10, 20, 30, 40, 50, 60].map((level) => line(String(level), { level }));
    expect(await read(lines)).toEqual(['10', '20', '30', '40', '50', '60']);
    expect(await read(lines, { level: 'warn' })).toEqual(['40', '50', '60']);
  });

  it('selects one area', async () => {
    const lines = [line('a', { area: 'team' }), line('b', { area: 'http' }), line('c')];
    expect(await read(lines, { area: 'team' })).toEqual(['a']);
    expect(await read(lines, { area: 'daemon' })).toEqual(['c']);
  });

  it('finds words in any case in the text or in the details, but not across both', async () => {
    const lines = [line('The Lamp was lit'), line('request', { err: { stack: 'Error: no LAMP' } }), line('undone')];
    expect(await read(lines, { q: '  lAMP ' })).toEqual(['The Lamp was lit', 'request']);
    expect(await read(lines, { q: 'was' })).toEqual(['The Lamp was lit']);
    expect(await read(lines, { q: 'requesterror' })).toEqual([]);
    expect(await read(lines, { q: 'undefined' })).toEqual([]);
    expect(await read(lines, { q: '   ' })).toHaveLength(3);
  });

  it('selects lines at or after one time and before another; those without a time only when none is given', async () => {
    const at = (minute: number) => line(String(minute), { time: NOON + minute * 60_000 });
    const lines = ['no time', at(1), at(2), at(3)];
    const [since, until] = ['2026-11-21T12:02:00Z', '2026-11-21T12:03:00Z'];
    expect(await read(lines)).toEqual(['no time', '1', '2', '3']);
    expect(await read(lines, { since })).toEqual(['2', '3']);
    expect(await read(lines, { until })).toEqual(['1', '2']);
    expect(await read(lines, { since, until })).toEqual(['2']);
  });

  it.each(['since', 'until'])('rejects a time that is none, and names "%s"', async (path) => {
    await expect(read([], { [path]: 'lately' })).rejects.toMatchObject({ code: 'bad_request', details: { path } });
  });
});
