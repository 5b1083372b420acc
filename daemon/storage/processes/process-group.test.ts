import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { groupMembers, isAlive, journalled } from '../../testing/stand-ins/stand-in.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ProcessGroups, type ProcessLimits } from './process-group.js';
import { LineCutter, USUAL_LINE_LIMITS } from './process-group-lines.js';
import { findProgram } from './process-group-path.js';
import { bootId, getStartTime } from './process-group-table.js';

const WAITS = 'setInterval(() => undefined, 1000)';

function aMachine(limits: Partial<ProcessLimits> = {}, clock: Clock = systemClock) {
  const state = temporaryFolder();
  const groups = new ProcessGroups(state, clock, { graceMs: 300, idleMs: 5_000, ...limits });
  onTestFinished(() => groups.stopAll());
  const node = (code: string, environment: Record<string, string> = {}) =>
    groups.start({ bin: process.execPath, args: ['-e', code], cwd: state, environment });
  return { state, groups, node };
}

async function splitLines(group: { lines(): AsyncIterable<string> }): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of group.lines()) lines.push(line);
  return lines;
}

describe('a process group', () => {
  it('returns its lines and its exit, and is in the journal while it runs', async () => {
    const { state, node } = aMachine();
    const group = await node(
      "process.stdin.on('data', (text) => console.log('got ' + text)).on('end', () => process.exit(3))",
    );
    const file = join(state, 'runs', String(group.pgid));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      pid: group.pgid,
      pgid: group.pgid,
      start_time: getStartTime(group.pgid),
    });
    await group.write('this');
    group.closeInput();
    expect(await splitLines(group)).toEqual(['got this']);
    expect(await group.ended).toEqual({ code: 3, signal: null });
    expect(existsSync(file)).toBe(false);
  });

  it('keeps the output of a program that ended before it was read', async () => {
    const { node } = aMachine();
    const group = await node("console.log('early'); console.log('bird')");
    await group.ended;
    expect(await splitLines(group)).toEqual(['early', 'bird']);
  });

  it("inherits neither the daemon's environment nor its open files", async () => {
    const { node } = aMachine();
    const group = await node(
      'console.log(JSON.stringify([Object.keys(process.env), ' +
        "require('fs').readdirSync('/proc/self/fd').map(Number).filter((fd) => fd > 2 && fd < 20).map((fd) => { " +
        "try { return require('fs').readlinkSync('/proc/self/fd/' + fd) } catch { return '' } })]))",
      { ONLY: 'this' },
    );
    const [names, files] = JSON.parse((await splitLines(group)).join('')) as [string[], string[]];
    expect(names.sort()).toEqual(['MESHD_RUN', 'ONLY']);
    expect(
      files.filter((file) => file.includes('/') && !file.startsWith('/proc/') && !file.startsWith('/dev/')),
    ).toEqual([]);
  });

  it('rejects when the program cannot be started', async () => {
    const { state, groups } = aMachine();
    await expect(groups.start({ bin: join(state, 'nothing'), args: [], cwd: state, environment: {} })).rejects.toThrow(
      'could not be started',
    );
    expect(journalled(state)).toEqual([]);
  });

  it('is read no faster than it is consumed', async () => {
    const { node } = aMachine();
    const group = await node("setInterval(() => process.stdout.write('x'.repeat(60000) + '\\n'), 1)");
    const lines = group.lines();
    await lines.next();
    const before = process.memoryUsage().external;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(process.memoryUsage().external - before).toBeLessThan(4e6);
    await group.stop();
  });

  it('is ended by silence unless somebody holds it, and who lets go twice ends nobody else’s hold', async () => {
    const clock = new FakeClock();
    const { node } = aMachine({}, clock);
    const group = await node(WAITS);
    const [first, second] = [group.holdQuiet(), group.holdQuiet()];
    const reading = splitLines(group);
    reading.catch(() => undefined);
    first();
    first();
    clock.advance(60_000);
    expect(group.reportedFailure).toBeUndefined();
    second();
    clock.advance(4_999);
    expect(group.reportedFailure).toBeUndefined();
    clock.advance(1);
    expect(group.reportedFailure).toMatchObject({ kind: 'idle', message: expect.stringContaining('for 5 s') });
    const looking = setInterval(() => clock.advance(100), 1);
    onTestFinished(() => clearInterval(looking));
    await expect(reading).rejects.toThrow('has said nothing for 5 s');
    expect(groupMembers(group.pgid)).toEqual([]);
  });

  it('ends with all others when all are stopped', async () => {
    const { state, groups, node } = aMachine();
    const started = await Promise.all([node(WAITS), node(`process.on('SIGTERM', () => undefined); ${WAITS}`)]);
    await groups.stopAll();
    expect(started.flatMap(({ pgid }) => groupMembers(pgid))).toEqual([]);
    expect(journalled(state)).toEqual([]);
  });
});

describe('a process left by an earlier daemon', () => {
  /** Starts a process group that no daemon of this test started. */
  function aStray(environment: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['-e', WAITS], { detached: true, stdio: 'ignore', env: environment });
    const pid = child.pid as number;
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    return { pid, gone: once(child, 'exit') };
  }
  function leave(state: string, entry: Record<string, unknown> & { pgid: number }): void {
    mkdirSync(join(state, 'runs'), { recursive: true });
    writeFileSync(
      join(state, 'runs', String(entry.pgid)),
      JSON.stringify({ run: 'r', pid: entry.pgid, boot_id: bootId(), ...entry }),
    );
  }

  it('is killed when its pid and start time match the journal', async () => {
    const { state, groups } = aMachine();
    const { pid, gone } = aStray();
    leave(state, { pgid: pid, start_time: getStartTime(pid) });
    expect(await groups.reapOrphans()).toBe(1);
    await gone;
    expect(journalled(state)).toEqual([]);
  });

  it('is not killed when the pid belongs to another process or the machine was rebooted', async () => {
    const { state, groups } = aMachine();
    const [other, rebooted] = [aStray(), aStray()];
    leave(state, { pgid: other.pid, start_time: '1' });
    leave(state, { pgid: rebooted.pid, start_time: getStartTime(rebooted.pid), boot_id: 'another' });
    expect(await groups.reapOrphans()).toBe(0);
    expect([other, rebooted].map(({ pid }) => isAlive(pid))).toEqual([true, true]);
    expect(journalled(state)).toEqual([]);
  });

  it('is found in another session by the variable of its run', async () => {
    const { state, groups } = aMachine();
    const { pid, gone } = aStray({ MESHD_RUN: 'that-run' });
    leave(state, { pgid: 4_000_000, run: 'that-run', start_time: '1' });
    expect(await groups.reapOrphans()).toBe(1);
    await gone;
    expect(isAlive(pid)).toBe(false);
  });

  it.each(['', '{', '{"pgid":1,"pid":1,"run":"x"}', '{"pgid":-1}', 'null'])(
    'is not killed for a journal entry that cannot be parsed (%s)',
    async (text) => {
      const { state, groups } = aMachine();
      mkdirSync(join(state, 'runs'));
      for (const name of ['1', '99999', 'x.tmp']) writeFileSync(join(state, 'runs', name), text);
      expect(await groups.reapOrphans()).toBe(0);
      expect(readdirSync(join(state, 'runs'))).toEqual(['x.tmp']);
    },
  );

  it('does not exist at a first start', async () => {
    expect(await aMachine().groups.reapOrphans()).toBe(0);
  });
});

describe('LineCutter', () => {
  const cutter = (over = {}) => new LineCutter({ ...USUAL_LINE_LIMITS, ...over });

  it('returns the same lines however the bytes are split', () => {
    const bytes = Buffer.from('ä€😀\r\nsecond\n\nlast');
    for (let size = 1; size <= bytes.length; size += 1) {
      const cut = cutter();
      const lines: (string | undefined)[] = [];
      for (let at = 0; at < bytes.length; at += size) lines.push(...cut.push(bytes.subarray(at, at + size)).lines);
      expect([...lines, cut.rest()]).toEqual(['ä€😀', 'second', '', 'last']);
    }
  });

  it('replaces invalid bytes with U+FFFD, separately in each line', () => {
    expect(cutter().push(Buffer.from([0xe2, 0x82, 10, 0xac, 0x61, 0xff, 10])).lines).toEqual([
      '\ufffd',
      '\ufffda\ufffd',
    ]);
  });

  it('drops and counts a line that is too long, and reads the next one', () => {
    const cut = cutter({ lineMaxBytes: 4 });
    expect(cut.push(Buffer.from('12345\n1234\n')).lines).toEqual(['1234']);
    expect(cut.droppedLines).toBe(1);
  });

  it('reports when one line, or all of them together, exceed the limit', () => {
    expect(cutter({ runawayLineBytes: 8 }).push(Buffer.from('123456789')).isOverLimit).toBe(true);
    expect(cutter({ totalMaxBytes: 3 }).push(Buffer.from('1\n2\n')).isOverLimit).toBe(true);
    expect(cutter({ totalMaxBytes: 4 }).push(Buffer.from('1\n2\n')).isOverLimit).toBe(false);
  });
});

describe('findProgram', () => {
  it('searches only the absolute folders of the path', async () => {
    const folder = temporaryFolder({ agent: '#!/bin/sh\n', text: 'x' });
    chmodSync(join(folder, 'agent'), 0o755);
    mkdirSync(join(folder, 'directory'));
    symlinkSync(join(folder, 'agent'), join(folder, 'linked'));
    const other = temporaryFolder();
    expect(await findProgram('agent', `${other}:${folder}`)).toBe(join(folder, 'agent'));
    expect(await findProgram('linked', folder)).toBe(join(folder, 'linked'));
    expect(await findProgram(join(folder, 'agent'), undefined)).toBe(join(folder, 'agent'));
    for (const name of ['text', 'directory', 'none', '', './agent', '../agent', 'a/b'])
      expect(await findProgram(name, folder)).toBeUndefined();
    for (const path of ['', '.', ':', 'relative']) expect(await findProgram('agent', path)).toBeUndefined();
  });
});
