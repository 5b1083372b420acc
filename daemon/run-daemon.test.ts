import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findSqlitePackage } from './lib/sqlite-package.js';
import { type DaemonProcess, refuseBusy, runDaemon, stopWithSignals } from './run-daemon.js';
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

/** The refusal of a start at `root`. */
function busy(root: string) {
  const refused: unknown[] = [];
  const refuse = (...words: unknown[]): never => {
    refused.push(...words);
    throw new Error('refused');
  };
  expect(() => refuseBusy(root, refuse)).toThrow('refused');
  return refused;
}

/** A process with the arguments that holds the store at `root`. */
async function holding(root: string, ...args: string[]): Promise<number> {
  const hold = `const db = new (require(process.argv[1]))(process.argv[2]);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT');
    process.send('held'); process.stdin.resume();`;
  const sqlite = createRequire(import.meta.url).resolve(findSqlitePackage());
  const child = spawn(process.execPath, ['-e', hold, sqlite, join(root, '.mesh/state/mesh.db'), ...args], {
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child.pid as number;
}

describe.runIf(process.platform === 'linux')('a start while the store is held', () => {
  const LEFT = { pid: 2 ** 22 + 1, address: 'http://127.0.0.1:4747' };

  function project(): string {
    const root = temporaryFolder({ '.mesh/state/daemon.json': JSON.stringify(LEFT) });
    chmodSync(join(root, '.mesh/state/daemon.json'), 0o600);
    return root;
  }

  it('names the process that holds it, not the daemon that was killed', async () => {
    const root = project();
    const pid = await holding(root);
    expect(busy(root)).toEqual([75, 'already_running', `A daemon runs for ${root} already: process ${pid}.`]);
  });

  it('can be tried again after a backup, which a service does', async () => {
    const root = project();
    const pid = await holding(root, 'backup');
    expect(busy(root)).toEqual([70, 'in_flight', `A backup of ${root} is being made (process ${pid}): try again.`]);
  });

  it('says what else it may be when nobody is seen to hold it', () => {
    expect(busy(project())[2]).toMatch(
      /the file system gives no locks, as some network drives do: move the project\.$/,
    );
  });
});
