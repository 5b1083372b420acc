import { spawn } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findSqlitePackage } from '../../lib/sqlite-package.js';
import { beFound, meshd } from '../../testing/processes/command-line.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';

/** A project whose daemon file names a program that answers as given. */
async function project(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const root = ownState(temporaryFolder({ '.mesh/state/mesh.db': '' }));
  const { port } = server.address() as AddressInfo;
  beFound({ root, address: `http://127.0.0.1:${port}`, daemon: { secret: 'f'.repeat(64) } });
  return root;
}

/** Starts a process that holds the store, as a daemon does. */
async function holdStore(root: string) {
  const script = `
    const database = new (require(${JSON.stringify(findSqlitePackage())}))(process.argv[1]);
    database.exec('BEGIN EXCLUSIVE');
    process.stdout.write('locked');
    process.stdin.resume();
  `;
  const path = join(root, '.mesh/state/mesh.db');
  const child = spawn(process.execPath, ['--eval', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child.pid;
}

it.runIf(process.platform === 'linux')('stops a daemon that hangs, which the kernel names', async () => {
  const root = await project((request) => void request.socket.destroy());
  const pid = await holdStore(root);
  expect(await meshd(root, 'down')).toEqual({ exit: 0, out: `Stopped (pid ${pid}).\n`, err: '' });
});

it('has nothing to stop where another program took the port of a daemon that was killed', async () => {
  const root = await project((_, response) => response.end('{}'));
  expect(await meshd(root, 'down')).toEqual({ exit: 0, out: 'No daemon was running.\n', err: '' });
});
