import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { bootOfDarwin, startOf } from './darwin-processes.js';

it.runIf(existsSync('/bin/ps'))('a process has a time of its start, until it ends', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid as number;
  expect(startOf(pid)).toMatch(/^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(startOf(pid)).toBeNull();
});

it('a boot has an id on a Mac alone', () => {
  if (process.platform === 'darwin') expect(bootOfDarwin()).toMatch(/^[0-9A-F-]{36}$/);
  else expect(bootOfDarwin()).toBeNull();
});
