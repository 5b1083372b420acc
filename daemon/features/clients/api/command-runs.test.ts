import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { ProcessGroups } from '../../../storage/processes/process-group.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { commandRuns } from './command-runs.js';

function runner() {
  const root = temporaryFolder();
  const processes = new ProcessGroups(temporaryFolder(), systemClock, { graceMs: 200 });
  onTestFinished(() => processes.stopAll());
  const environment = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'canary' };
  return { root, run: commandRuns({ processes, root, environment }) };
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
