import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DaemonProcess, runDaemon, stopWithSignals } from './run-daemon.js';
import { GRACE_MS } from './storage/processes/process-group.js';
import { FakeClock } from './testing/fake-clock.js';
import { temporaryFolder } from './testing/temporary-folder.js';

/** A daemon whose stop lasts until `stopped` is called, in a process that gets what `get` names. */
function running() {
  const state = temporaryFolder({ 'daemon.json': '{}' });
  const clock = new FakeClock();
  const listeners = new Map<string, (error: unknown) => void>();
  const exits: number[] = [];
  let stopped: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  let stops = 0;
  const stop = () => {
    stops += 1;
    return end;
  };
  stopWithSignals(
    { on: (event, listener) => listeners.set(event, listener), exit: (code) => exits.push(code) },
    { stop, app: { log: { fatal: () => undefined } } },
    state,
    clock,
  );
  const get = (event: string) => listeners.get(event)?.(new Error('failed'));
  return {
    get,
    clock,
    exits,
    stopped: () => stopped(),
    stops: () => stops,
    hasFile: () => existsSync(join(state, 'daemon.json')),
  };
}

describe('a daemon that gets a signal', () => {
  it.each([['SIGINT'], ['SIGHUP'], ['SIGTERM']])('stops once when %s reaches it twice at a time', async (signal) => {
    const { get, clock, exits, stopped, stops, hasFile } = running();
    get(signal);
    clock.advance(999);
    get(signal);
    expect([stops(), exits]).toEqual([1, []]);
    stopped();
    await expect.poll(() => exits).toEqual([0]);
    expect(hasFile()).toBe(false);
  });

  it('outlasts two programs that only SIGKILL ends, and gives up before `meshd down` does', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const graces = 2 * GRACE_MS + 2_000;
    const { get, exits } = running();
    get('SIGTERM');
    await vi.advanceTimersByTimeAsync(graces);
    expect(exits).toEqual([]);
    await vi.advanceTimersByTimeAsync(9_500 - graces);
    expect(exits).toEqual([70]);
  });

  it('ends at once when it is asked again a second later, or fails meanwhile', () => {
    const again = running();
    again.get('SIGTERM');
    again.clock.advance(1_000);
    again.get('SIGINT');
    expect(again.exits).toEqual([0]);
    const failing = running();
    failing.get('SIGTERM');
    failing.get('uncaughtException');
    expect(failing.exits).toEqual([70]);
  });
});

it('says nothing on a stderr that cannot be written, and goes on', async () => {
  const stderr = new Writable({ write: (_line, _encoding, done) => done(new Error('ENOSPC: no space left, write')) });
  const exits: number[] = [];
  const own = {
    argv: ['node', 'daemon', '--port', 'x'],
    env: {},
    stderr,
    cwd: () => '/',
    exit: (code: number) => exits.push(code),
  };
  const failed = new Promise((resolve) => stderr.once('close', resolve));
  runDaemon(own as unknown as DaemonProcess, new FakeClock());
  await failed;
  expect([exits, stderr.errored?.message]).toEqual([[78], 'ENOSPC: no space left, write']);
});
