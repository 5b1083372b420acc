import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findSqlitePackage } from '../lib/sqlite-package.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { findLockHolderPid } from './lock-holder.js';

const row = (pid: number, ino: number) => `1: POSIX  ADVISORY  WRITE ${pid} 00:2f:${ino} 0 EOF\n`;

it.runIf(process.platform === 'linux')('is the process that has the locked file open', async () => {
  const path = join(temporaryFolder({ 'mesh.db': '' }), 'mesh.db');
  const script = `
    const database = new (require(${JSON.stringify(findSqlitePackage())}))(${JSON.stringify(path)});
    database.exec('BEGIN EXCLUSIVE');
    process.stdout.write('locked');
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ['--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect(findLockHolderPid(path)).toBe(child.pid);
});

it.runIf(process.platform === 'linux')('is no process with a lock on a file of that number elsewhere', () => {
  const path = join(temporaryFolder({ 'mesh.db': '' }), 'mesh.db');
  expect(findLockHolderPid(path, () => row(process.pid, statSync(path).ino))).toBeUndefined();
});
