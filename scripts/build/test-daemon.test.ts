import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { LogLines } from '../../daemon/contract/system.js';
import { temporaryRepository } from '../../daemon/testing/temporary-folder.js';
import { userFolders } from '../../daemon/testing/user-folders.js';

const PROGRAM = fileURLToPath(new URL('../../dist/test-daemon.js', import.meta.url));

function startProcess(): ChildProcess {
  const child = fork(PROGRAM, ['--test-one-after-another'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Starts a daemon in `child`, and returns what it tells about its start. */
async function startIn(child: ChildProcess, more: string[] = [], environment: Record<string, string> = {}) {
  const root = temporaryRepository({ 'README.md': '# Lamp\n' });
  const options = ['--root', root, '--port', '0', ...more];
  child.send({ type: 'start', options, environment: { PATH: process.env['PATH'], ...userFolders(), ...environment } });
  const [told] = (await once(child, 'message')) as [{ type: string; address: string; message: string }];
  return { root, ...told };
}

async function endIn(child: ChildProcess): Promise<void> {
  child.send({ type: 'end' });
  expect(await once(child, 'message')).toEqual([{ type: 'ended' }, undefined]);
}

it('starts a daemon where another one has ended, with its own project, environment and clock', async () => {
  const child = startProcess();
  const first = await startIn(child, ['--test-clock', '301'], { MESHD_LOG_LEVEL: 'error' });
  await endIn(child);
  await expect(fetch(`${first.address}/health`)).rejects.toThrow();
  const second = await startIn(child);
  const projects = await fetch(`${second.address}/projects`);
  expect(await projects.text()).toContain(second.root);
  const log = (await (await fetch(`${second.address}/logs`)).json()) as LogLines;
  // The level of the first one would hide the lines of the start.
  expect(log.lines.length).toBeGreaterThan(0);
  // What moves the clock of the first one has ended with it: without a listener, the signal ends the process.
  child.kill('SIGUSR2');
  expect(await once(child, 'exit')).toEqual([null, 'SIGUSR2']);
});

it('exits with its daemon on a signal, and when its parent is gone', async () => {
  const killed = startProcess();
  const { address } = await startIn(killed);
  killed.kill('SIGTERM');
  expect(await once(killed, 'exit')).toEqual([0, null]);
  await expect(fetch(`${address}/health`)).rejects.toThrow();
  const left = startProcess();
  await startIn(left);
  left.disconnect();
  expect(await once(left, 'exit')).toEqual([0, null]);
});

it('exits when its daemon cannot start', async () => {
  const child = startProcess();
  const { type, message } = await startIn(child, ['--port', '65536']);
  expect([type, message]).toEqual(['refused', '--port must be a number from 0 to 65535, not "65536".']);
  expect(await once(child, 'exit')).toEqual([78, null]);
});
