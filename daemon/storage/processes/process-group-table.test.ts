import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { copyFileSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../testing/stand-ins/stand-in.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { bootId, getStartTime, isGroupOfRun, listProcesses, signalAll } from './process-group-table.js';

/** Starts a program in a group of its own that waits until the test ends. */
async function waiting(bin: string, args: string[], environment: Record<string, string> = {}) {
  const child = spawn(bin, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: environment });
  const pid = child.pid as number;
  const ended = once(child, 'exit');
  onTestFinished(() => signalAll(pid, [], 'SIGKILL'));
  await once(child, 'spawn');
  return { pid, child, ended };
}

const PATH = process.env['PATH'] ?? '';
const RUN = { PATH, MESHD_RUN: 'run-1' };

describe.runIf(process.platform === 'linux')('the table of processes', () => {
  it('finds a process whatever the name of its program is', async () => {
    const bin = join(temporaryFolder(), 'a) Z 1 (b');
    copyFileSync('/bin/sleep', bin);
    const { pid } = await waiting(bin, ['60']);
    expect(listProcesses(pid, 'x')).toEqual({ inGroup: [pid], strayed: [] });
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    expect(stat).toContain(') Z 1 (');
    // The 22nd field, of which the second one is the name.
    expect(getStartTime(pid)).toBe(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[22 - 3]);
    expect(isGroupOfRun(pid, getStartTime(pid), 'x')).toBe(true);
    expect(isGroupOfRun(pid, '1', 'x')).toBe(false);
    expect(isGroupOfRun(pid, null, 'x')).toBe(false);
  });

  it('finds the processes of a run in its group and outside of it, and no others', async () => {
    const { pid } = await waiting('sleep', ['60'], RUN);
    const stray = await waiting('sleep', ['60'], { ...RUN, OTHER: 'x' });
    await waiting('sleep', ['60'], { PATH, MESHD_RUN: 'run-12', XMESHD_RUN: 'run-1' });
    // Until the program runs, its environment is that of this process.
    await expect.poll(() => listProcesses(pid, 'run-1')).toEqual({ inGroup: [pid], strayed: [stray.pid] });
    expect(isGroupOfRun(pid, '1', 'run-1')).toBe(true);
    expect(isGroupOfRun(pid, null, 'run-2')).toBe(false);
  });

  it('does not take a process that has ended for a living one', async () => {
    // The first program becomes one that never asks how the second one ended.
    const { pid, child } = await waiting('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], RUN);
    const [text] = (await once(child.stdout as NodeJS.EventEmitter, 'data')) as [Buffer];
    const ended = Number(text);
    const state = () => /\) (\S)/.exec(readFileSync(`/proc/${ended}/stat`, 'latin1'))?.[1];
    await expect.poll(state).toBe('Z');
    expect(listProcesses(pid, 'run-1')).toEqual({ inGroup: [pid], strayed: [] });
  });

  it('signals the group and the strays that it is given', async () => {
    const [one, other, third] = await Promise.all([1, 2, 3].map(() => waiting('sleep', ['60'])));
    if (!one || !other || !third) throw new Error('not started');
    signalAll(undefined, [other.pid], 'SIGTERM');
    expect(await other.ended).toEqual([null, 'SIGTERM']);
    expect(isAlive(one.pid)).toBe(true);
    // The first of these has ended.
    signalAll(one.pid, [other.pid, third.pid], 'SIGKILL');
    expect([await one.ended, await third.ended]).toEqual([
      [null, 'SIGKILL'],
      [null, 'SIGKILL'],
    ]);
    expect(listProcesses(one.pid, 'x')).toEqual({ inGroup: [], strayed: [] });
  });

  it('knows the boot of the machine, and no start of a process that is not there', () => {
    expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
    expect([getStartTime(process.pid), getStartTime(4_194_305)]).toEqual([expect.stringMatching(/^\d+$/), null]);
  });

  it('takes a group of which one process carries the variable for the run’s, and no group that has none', async () => {
    const { pid, child } = await waiting('sh', ['-c', 'MESHD_RUN=run-3 sleep 60 & echo started; exec sleep 60'], {
      PATH,
    });
    await once(child.stdout as NodeJS.EventEmitter, 'data');
    await expect.poll(() => isGroupOfRun(pid, null, 'run-3')).toBe(true);
    for (const startTime of ['1', null]) expect(isGroupOfRun(4_194_305, startTime, 'run-3')).toBe(false);
  });
});

describe('a system without a table of processes', () => {
  /** What `look` returns while `/proc` cannot be read. */
  function withoutTable<T>(look: () => T): T {
    const none = () => {
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    };
    const spies = [vi.spyOn(fs, 'readFileSync'), vi.spyOn(fs, 'readdirSync')];
    for (const spy of spies) spy.mockImplementation(none);
    syncBuiltinESMExports();
    try {
      return look();
    } finally {
      for (const spy of spies) spy.mockRestore();
      syncBuiltinESMExports();
    }
  }
  const list = (pgid: number) => withoutTable(() => listProcesses(pgid, 'run-1'));

  it('tells no boot, no start, and takes no group for the run’s', async () => {
    const { pid } = await waiting('sleep', ['60'], RUN);
    expect(withoutTable(() => [bootId(), getStartTime(pid)])).toEqual([null, null]);
    for (const startTime of ['1', null]) expect(withoutTable(() => isGroupOfRun(pid, startTime, 'run-1'))).toBe(false);
  });

  it('stands for a group by its leader, also when only another process of it is left', async () => {
    const { pid, ended } = await waiting('sh', ['-c', 'sleep 60 >&- &'], RUN);
    await ended;
    expect(list(pid)).toEqual({ inGroup: [pid], strayed: [] });
    const other = await waiting('true', []);
    await other.ended;
    expect(list(other.pid)).toEqual({ inGroup: [], strayed: [] });
  });

  it('has a group that it may not signal', () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM', syscall: 'kill' });
    });
    onTestFinished(() => kill.mockRestore());
    expect(list(4_194_305)).toEqual({ inGroup: [4_194_305], strayed: [] });
    expect(kill.mock.calls).toEqual([[-4_194_305, 0]]);
  });
});
