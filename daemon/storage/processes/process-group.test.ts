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
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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

  const shell = (groups: ProcessGroups, code: string, cwd: string, more: Record<string, string> = {}) =>
    groups.start({
      bin: '/bin/sh',
      args: ['-c', code],
      cwd,
      environment: { PATH: process.env['PATH'] ?? '', ...more },
    });

  it('is ended when it writes far more than an answer can be, and says so after its last line', async () => {
    const { state, groups } = aMachine({ totalMaxBytes: 10 });
    const group = await shell(groups, "trap '' TERM; echo 12345; echo 67890; sleep 60; sleep 60", state);
    const lines: string[] = [];
    const reading = (async () => {
      for await (const line of group.lines()) lines.push(line);
    })();
    await expect(reading).rejects.toMatchObject({
      name: 'ProcessError',
      kind: 'output_limit',
      message: 'The program wrote far more than an answer can be (output_limit), so it was stopped.',
    });
    expect([lines, groupMembers(group.pgid)]).toEqual([['12345', '67890'], []]);
  });

  it('fails only once nothing of it is left, although it does not stop writing', async () => {
    const { state, groups } = aMachine({ totalMaxBytes: 10 });
    const group = await shell(groups, "trap '' TERM PIPE; while :; do echo 12345; done", state);
    await expect(splitLines(group)).rejects.toMatchObject({ kind: 'output_limit' });
    expect(groupMembers(group.pgid)).toEqual([]);
  });

  it('is ended when it writes far more errors than anyone can read', async () => {
    const { state, groups } = aMachine({ totalMaxBytes: 10 });
    const within = await shell(groups, 'echo 123456789 >&2; exec sleep 60', state);
    await expect.poll(() => within.stderrTail).toBe('123456789\n');
    expect(within.reportedFailure).toBeUndefined();
    await within.stop();
    const group = await shell(groups, 'echo 1234567890 >&2; exec sleep 60', state);
    expect(await group.ended).toMatchObject({ signal: 'SIGTERM' });
    expect(group.reportedFailure).toMatchObject({
      kind: 'output_limit',
      message: 'The program wrote far more errors than anyone can read (output_limit), so it was stopped.',
    });
  });

  it('keeps the last 8,192 characters of the errors, also of those in several bytes', async () => {
    const { node } = aMachine();
    const group = await node(
      "process.stderr.write(Buffer.concat([Buffer.from('a'.repeat(8191)), Buffer.from([0xc3])]), () => " +
        'setTimeout(() => process.stderr.write(Buffer.from([0xa9, 0x62])), 50))',
    );
    await group.ended;
    expect(group.stderrTail).toBe(`${'a'.repeat(8_190)}éb`);
  });

  it.each([
    ['what it writes at its end', "trap 'echo last; exit' TERM; echo ready; while :; do sleep 0.01; done"],
    ['a line that it had begun', "printf 'ready\\nhalf'; exec sleep 60"],
  ])('has no more lines once it is stopped: not %s', async (_, code) => {
    const { state, groups } = aMachine();
    const group = await shell(groups, code, state);
    const lines = group.lines();
    expect(await lines.next()).toEqual({ value: 'ready', done: false });
    const next = lines.next();
    await group.stop();
    expect(await next).toEqual({ value: undefined, done: true });
  });

  it('does not fail by silence while it is being stopped', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({ graceMs: 10_000, idleMs: 1_000 }, clock);
    const group = await shell(groups, "trap '' TERM; echo ready; sleep 60; sleep 60; sleep 60", state);
    const lines = group.lines();
    await lines.next();
    const next = lines.next();
    await new Promise(setImmediate);
    const stopping = group.stop();
    clock.advance(9_000);
    group.holdQuiet()();
    const looking = setInterval(() => clock.advance(100), 1);
    onTestFinished(() => clearInterval(looking));
    await stopping;
    expect([await next, group.reportedFailure]).toEqual([{ value: undefined, done: true }, undefined]);
  });

  it('does not count the sleep of a machine whose timers go on meanwhile as silence', async () => {
    const waits: { ms: number; run: () => void }[] = [];
    const after = (ms: number, run: () => void) => {
      waits.push({ ms, run });
      return () => undefined;
    };
    const clock = { now: () => 0, elapsed: () => 0, after };
    const groups = new ProcessGroups(temporaryFolder(), clock, { idleMs: 25_000 });
    const group = await shell(groups, 'sleep 60', temporaryFolder());
    onTestFinished(() => void process.kill(-group.pgid, 'SIGKILL'));
    void group
      .lines()
      .next()
      .catch(() => undefined);
    const fired: number[] = [];
    for (let wait = waits.pop(); wait && fired.length < 3; wait = waits.pop()) {
      expect(group.reportedFailure).toBeUndefined();
      fired.push(wait.ms);
      wait.run();
    }
    expect([fired, group.reportedFailure]).toMatchObject([[10_000, 10_000, 5_000], { kind: 'idle' }]);
  });

  it('keeps its output when it is stopped after it ended', async () => {
    const { state, groups } = aMachine();
    const group = await shell(groups, 'echo early', state);
    await group.ended;
    await group.stop();
    expect(await splitLines(group)).toEqual(['early']);
  });

  it('counts the lines that were too long', async () => {
    const { state, groups } = aMachine({ lineMaxBytes: 4 });
    const group = await shell(groups, 'echo 12345; echo 1234; printf 567', state);
    expect([await splitLines(group), group.droppedLines]).toEqual([['1234', '567'], 1]);
  });

  it('reads the long lines of a program that has them, up to the length that ends it', async () => {
    const { state, groups } = aMachine({ lineMaxBytes: 4, runawayLineBytes: 8 });
    const program = { bin: '/bin/sh', cwd: state, environment: {}, hasLongLines: true };
    const group = await groups.start({ ...program, args: ['-c', 'echo 12345678; echo 1'] });
    expect([await splitLines(group), group.droppedLines]).toEqual([['12345678', '1'], 0]);
    const runaway = await groups.start({ ...program, args: ['-c', 'printf 123456789; exec sleep 60'] });
    await expect(splitLines(runaway)).rejects.toMatchObject({ kind: 'output_limit' });
  });

  it('ends by itself within the time that it is given, and is stopped after it', async () => {
    const { state, groups } = aMachine();
    const polite = await shell(groups, 'cat; exit 4', state);
    expect(await polite.finish(60_000)).toEqual({ code: 4, signal: null });
    const stubborn = await shell(groups, 'exec sleep 60', state);
    expect(await stubborn.finish(10)).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('has no timer left once it has ended', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({}, clock);
    const group = await shell(groups, 'cat', state);
    const finishing = group.finish(60_000);
    const reading = splitLines(group);
    const looking = setInterval(() => clock.advance(10), 1);
    onTestFinished(() => clearInterval(looking));
    expect([await finishing, await reading]).toEqual([{ code: 0, signal: null }, []]);
    clearInterval(looking);
    expect(clock.pending).toBe(0);
  });

  it('drops what is written to a program that has ended or closed its input', async () => {
    const { state, groups } = aMachine();
    const ended = await shell(groups, 'exit 0', state);
    await ended.ended;
    await ended.write('late');
    const closed = await shell(groups, 'exec 0<&-; echo closed; exec sleep 60', state);
    await closed.lines().next();
    for (const _ of [1, 2, 3]) await closed.write('x'.repeat(100_000));
    closed.closeInput();
    await closed.write('late');
    await closed.stop();
    await closed.stop();
  });

  it('waits with writing until the program reads', async () => {
    const { state, groups } = aMachine();
    const reader = await shell(groups, 'while [ ! -e go ]; do sleep 0.01; done; exec wc -c', state);
    let isWritten = false;
    const writing = reader.write('x'.repeat(1_000_000)).then(() => {
      isWritten = true;
    });
    await new Promise(setImmediate);
    expect(isWritten).toBe(false);
    writeFileSync(join(state, 'go'), '');
    await writing;
    reader.closeInput();
    expect((await splitLines(reader)).map((line) => line.trim())).toEqual(['1000000']);
  });

  it('waits no longer with writing once it is stopped', async () => {
    const { state, groups } = aMachine();
    const group = await shell(groups, 'exec sleep 60', state);
    const writing = group.write('x'.repeat(1_000_000));
    await Promise.all([group.stop(), writing]);
    expect(await group.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('loses its input at once when it is stopped, and has the grace that the caller gives it', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({ graceMs: 60_000 }, clock);
    const group = await shell(groups, "trap '' TERM; echo ready; sleep 60; sleep 60", state);
    await group.lines().next();
    const writing = group.write('x'.repeat(1_000_000));
    const stopping = group.stop(1_000);
    await writing;
    clock.advance(999);
    expect(isAlive(group.pgid)).toBe(true);
    const looking = setInterval(() => clock.advance(1), 1);
    onTestFinished(() => clearInterval(looking));
    await stopping;
    expect([await group.ended, clock.elapsed() < 60_000]).toEqual([{ code: null, signal: 'SIGKILL' }, true]);
  });

  it('leaves no listener behind of the times that it waited with writing', async () => {
    const { state, groups } = aMachine();
    const group = await shell(groups, 'exec wc -c', state);
    const { stdin } = group['child'];
    const listeners = () => ['drain', 'close', 'error'].map((event) => stdin.listenerCount(event));
    const before = listeners();
    for (let count = 0; count < 3; count += 1) await group.write('x'.repeat(1_000_000));
    expect(listeners()).toEqual(before);
    group.closeInput();
    expect((await splitLines(group)).map((line) => line.trim())).toEqual(['3000000']);
  });

  it('may close its input without harm to the daemon', async () => {
    const { state, groups } = aMachine();
    const uncaught = vi.fn();
    process.on('uncaughtException', uncaught);
    onTestFinished(() => void process.off('uncaughtException', uncaught));
    const group = await shell(groups, 'exec 0<&-; echo closed; exec sleep 60', state);
    await group.lines().next();
    await group.write('x');
    await group.stop();
    expect(uncaught.mock.calls).toEqual([]);
  });

  it('has no more lines once it closes its output, although it runs on', async () => {
    const { state, groups } = aMachine();
    const group = await shell(groups, 'echo last; exec sleep 60 >&-', state);
    expect([await splitLines(group), isAlive(group.pgid)]).toEqual([['last'], true]);
  });

  it('can write no more once its reader has left', async () => {
    const { state, groups } = aMachine();
    const group = await shell(groups, 'while :; do echo more; done', state);
    for await (const _ of group.lines()) break;
    expect(await group.ended).toEqual({ code: null, signal: 'SIGPIPE' });
  });

  it('may be silent for any time while nobody reads', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({}, clock);
    const group = await shell(groups, 'cat', state);
    group.holdQuiet()();
    expect(clock.pending).toBe(0);
    clock.advance(60_000);
    expect(group.reportedFailure).toBeUndefined();
    group.closeInput();
    expect(await group.ended).toEqual({ code: 0, signal: null });
  });

  it('is killed after its grace when it does not end, with what moved to another session', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({ graceMs: 1_000 }, clock);
    const group = await shell(groups, 'setsid sh -c \'trap "" TERM; echo $$; sleep 60; sleep 60\'; true', state);
    const { value } = await group.lines().next();
    const stray = Number(value);
    const stopping = group.stop();
    // The first one ends at SIGTERM; the stray does not.
    await expect.poll(() => groupMembers(group.pgid)).toEqual([]);
    const alive = isAlive(stray);
    clock.advance(999);
    expect([alive, isAlive(stray)]).toEqual([true, true]);
    const looking = setInterval(() => clock.advance(1), 1);
    onTestFinished(() => clearInterval(looking));
    await stopping;
    expect(isAlive(stray)).toBe(false);
  });

  it('can act on its end although it was suspended', async () => {
    const { state, groups } = aMachine({ graceMs: 60_000 });
    const group = await shell(groups, "trap 'exit 7' TERM; echo ready; kill -STOP $$; while :; do :; done", state);
    await group.lines().next();
    await expect.poll(() => /\) (\S)/.exec(readFileSync(`/proc/${group.pgid}/stat`, 'latin1'))?.[1]).toBe('T');
    await group.stop();
    expect(await group.ended).toEqual({ code: 7, signal: null });
  });

  it('stops reading half a second after its end while another process holds its output', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({}, clock);
    const held = "env -i PATH=$PATH setsid sh -c 'echo $$; exec sleep 60' & read -r _; exit 0";
    const group = await shell(groups, held, state);
    const lines = group.lines();
    const { value } = await lines.next();
    onTestFinished(() => void process.kill(Number(value), 'SIGKILL'));
    group.closeInput();
    let isOver = false;
    const last = lines.next().then((one) => {
      isOver = true;
      return one;
    });
    await group.ended;
    clock.advance(499);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await last).toEqual({ value: undefined, done: true });
  });

  it('is not started when the journal cannot be written', async () => {
    const { state, groups } = aMachine();
    writeFileSync(join(state, 'runs'), '');
    await expect(shell(groups, 'exec sleep 61', state, { HELD: state })).rejects.toMatchObject({ code: 'forbidden' });
    const held = readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HELD=${state}`);
      } catch {
        return false;
      }
    });
    expect(held).toEqual([]);
  });

  it('says that a program may not be run', async () => {
    const { state, groups } = aMachine();
    writeFileSync(join(state, 'text'), '', { mode: 0o644 });
    const program = { bin: join(state, 'text'), args: [], cwd: state, environment: {} };
    await expect(groups.start(program)).rejects.toMatchObject({
      kind: 'not_started',
      message: `${state}/text could not be started: it may not be run (check its permissions).`,
    });
  });

  it('may be silent for two minutes, and has five seconds to end, unless told otherwise', async () => {
    const clock = new FakeClock();
    const state = temporaryFolder();
    const groups = new ProcessGroups(state, clock);
    const group = await shell(groups, "trap '' TERM; echo ready; sleep 60; sleep 60", state);
    const lines = group.lines();
    await lines.next();
    const over = lines.next().catch((error: unknown) => error);
    await new Promise(setImmediate);
    clock.advance(119_999);
    expect(group.reportedFailure).toBeUndefined();
    clock.advance(1);
    expect(group.reportedFailure).toMatchObject({ message: expect.stringContaining('for 120 s') });
    clock.advance(4_999);
    expect(isAlive(group.pgid)).toBe(true);
    clock.advance(200);
    const looking = setInterval(() => clock.advance(1), 1);
    onTestFinished(() => clearInterval(looking));
    expect([await over, await group.ended]).toEqual([group.reportedFailure, { code: null, signal: 'SIGKILL' }]);
  });

  it('does not wait for another one that takes its time when all are stopped', async () => {
    const clock = new FakeClock();
    const { state, groups } = aMachine({}, clock);
    const stubborn = await shell(groups, "trap '' TERM; echo ready; sleep 60; sleep 60", state);
    await stubborn.lines().next();
    const polite = await shell(groups, 'exec sleep 60', state);
    const stopping = groups.stopAll();
    await expect.poll(() => groupMembers(polite.pgid)).toEqual([]);
    expect(isAlive(stubborn.pgid)).toBe(true);
    const looking = setInterval(() => clock.advance(100), 1);
    onTestFinished(() => clearInterval(looking));
    await stopping;
    expect(isAlive(stubborn.pgid)).toBe(false);
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
