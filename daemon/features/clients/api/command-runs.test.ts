import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { ProcessGroups } from '../../../storage/processes/process-group.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { commandRuns } from './command-runs.js';

function runner(fixed?: Record<string, string>) {
  const root = temporaryFolder();
  const processes = new ProcessGroups(temporaryFolder(), systemClock, { graceMs: 200 });
  onTestFinished(() => processes.stopAll());
  const environment = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'canary' };
  return { root, run: commandRuns({ processes, root, environment, ...(fixed && { fixed }) }) };
}

it('returns the combined output of a command and its exit code', async () => {
  const { root, run } = runner();
  expect(await run('pwd; echo oops >&2; exit 3', new AbortController().signal)).toEqual({
    exit: 3,
    output: `${root}\noops\n`,
  });
});

it('does not pass secrets of the daemon environment', async () => {
  const { run } = runner();
  expect((await run('env', new AbortController().signal)).output).not.toContain('canary');
});

it('stops the command and its child processes when it is cancelled', async () => {
  const { root, run } = runner();
  const controller = new AbortController();
  const running = run('(sleep 1; touch late) & echo started > begun; wait', controller.signal);
  while (!existsSync(join(root, 'begun'))) await new Promise(setImmediate);
  controller.abort(new Error('stop'));
  await expect(running).rejects.toThrow('stop');
  expect(existsSync(join(root, 'late'))).toBe(false);
});

it('sets the variables of the folder for the command', async () => {
  const { run } = runner({ PORT: '8123' });
  expect(await run('echo $PORT', new AbortController().signal)).toEqual({ exit: 0, output: '8123\n' });
});

it('gives a command no input, and keeps the last 64 KiB of its output', async () => {
  const { run } = runner();
  const { exit, output } = await run(`cat; printf '%070000d\\nend\\n' 0`, new AbortController().signal);
  expect([exit, output.length, output.slice(-6)]).toEqual([0, 64 * 1024, '0\nend\n']);
  const lines = await run('seq 1 60000; echo the cause; exit 3', new AbortController().signal);
  expect([lines.exit, lines.output.length, lines.output.slice(-16)]).toEqual([3, 64 * 1024, '60000\nthe cause\n']);
});

it('starts nothing in a turn that was stopped', async () => {
  const { root, run } = runner();
  await expect(run('touch made', AbortSignal.abort(new Error('early')))).rejects.toThrow('early');
  expect(existsSync(join(root, 'made'))).toBe(false);
});

it('tells that a signal ended a command', async () => {
  const { run } = runner();
  expect(await run('kill -9 $$', new AbortController().signal)).toEqual({ exit: null, output: '' });
});

it('stops a command of a turn that was stopped while it started, and watches for that only while it runs', async () => {
  const { run } = runner();
  const controller = new AbortController();
  const running = run('sleep 60', controller.signal);
  controller.abort(new Error('stop'));
  await expect(running).rejects.toThrow('stop');
  const { signal } = new AbortController();
  await run('true', signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
