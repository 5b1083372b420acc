import { ChildProcess } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type Launch, launchDetached, runInForeground } from './launch.js';

/** Says that it listens and ends, or is silent, as the root of its project says. */
const STAND_IN = `
  const { existsSync } = require('node:fs');
  const root = process.argv[process.argv.indexOf('--root') + 1];
  const word = { type: 'listening', address: 'http://127.0.0.1:1', port: 1, pid: process.pid };
  process.on('disconnect', () => process.exit());
  if (existsSync(root + '/silent')) setInterval(() => undefined, 1_000);
  else process.send(word, () => process.exit());
`;

/** A start on a project whose store has these sizes. */
function aLaunch({ store, wal, isSilent }: { store?: number; wal?: number; isSilent?: boolean }) {
  const root = temporaryFolder({ 'program.cjs': STAND_IN, ...(isSilent && { silent: '' }) });
  const state = join(root, '.mesh/state');
  mkdirSync(state, { recursive: true });
  for (const [name, bytes] of Object.entries({ 'mesh.db': store, 'mesh.db-wal': wal })) {
    if (bytes === undefined) continue;
    writeFileSync(join(state, name), '');
    truncateSync(join(state, name), bytes);
  }
  const notes: string[] = [];
  const launch: Launch = {
    program: join(root, 'program.cjs'),
    root,
    port: undefined,
    isStateVouchedFor: false,
    note: (line) => void notes.push(line),
  };
  return { launch, notes };
}

/** Removes the listeners for signals that the test adds, when it ends. */
function dropSignalListeners(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const before = process.listeners(signal);
    onTestFinished(() => {
      for (const one of process.listeners(signal)) if (!before.includes(one)) process.off(signal, one);
    });
  }
}

describe('the start of a daemon', () => {
  it('notes that it looks through the store when that is large', async () => {
    const { launch, notes } = aLaunch({ store: 1_200_000_000, wal: 8_000_000 });
    expect(await launchDetached(launch)).toMatchObject({ address: 'http://127.0.0.1:1' });
    expect(notes).toEqual(['Looking through the store (1208 MB).']);
  });

  it.each([{}, { store: 3_999_999 }])('notes nothing of a store like %o', async (sizes) => {
    const { launch, notes } = aLaunch(sizes);
    await launchDetached(launch);
    expect(notes).toEqual([]);
  });

  it.each([
    [{}, 30],
    [{ store: 1_000_000_000, wal: 200_000_000 }, 330],
  ])('is given up after a time that grows with the store (%o)', async (sizes, seconds) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { launch } = aLaunch({ ...sizes, isSilent: true });
    let isOver = false;
    const start = launchDetached(launch).finally(() => {
      isOver = true;
    });
    start.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(start).rejects.toThrow(`The daemon did not start within ${seconds} s`);
  });

  it('has the same time in the foreground', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { launch, notes } = aLaunch({ store: 40_000_000, isSilent: true });
    dropSignalListeners();
    const kill = vi.spyOn(ChildProcess.prototype, 'kill');
    onTestFinished(() => kill.mockRestore());
    const exit = runInForeground(launch, () => undefined);
    await vi.advanceTimersByTimeAsync(39_999);
    expect(kill).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(kill.mock.calls).toEqual([['SIGKILL']]);
    expect([await exit, notes]).toEqual([1, ['Looking through the store (40 MB).']]);
  });
});
