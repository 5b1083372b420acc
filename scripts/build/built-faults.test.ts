import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';
import { temporaryFolder, temporaryRepository } from '../../daemon/testing/temporary-folder.js';
import { userFolders } from '../../daemon/testing/user-folders.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Returns the Node.js option that runs `code` before a program, in order to break something that the program relies on.
 */
function breaking(code: string): string {
  const folder = temporaryFolder({ 'break.mjs': code });
  return `--import=${pathToFileURL(join(folder, 'break.mjs')).href}`;
}

it('an internal error of the command line is reported with its source file, line and column', () => {
  const broken = breaking(`String.prototype.padEnd = () => { throw new Error('broken on purpose'); };`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [broken, join(DIST, 'meshd.js'), 'help', 'output'], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('Error: broken on purpose');
  const [, line = ''] = /^ {4}at itemList \(daemon\/cli\/help\/manual\.ts:(\d+):\d+\)$/m.exec(stderr) ?? [];
  const source = readFileSync(new URL('../../daemon/cli/help/manual.ts', import.meta.url), 'utf8').split('\n');
  expect(source.slice(Number(line) - 3, Number(line)).join('\n')).toContain('.map(');
});

it('an internal error of the daemon is logged with its source file and line', async () => {
  const root = temporaryRepository({ 'README.md': '# Lamp\n' });
  const broken = breaking(`process.memoryUsage.rss = () => { throw new Error('broken on purpose'); };`);
  const daemon = await DaemonProcess.start(root, { PATH: process.env['PATH'], NODE_OPTIONS: broken, ...userFolders() });
  onTestFinished(() => daemon.kill());
  await expect(daemon.call('GET', '/health')).rejects.toThrow('500');
  await daemon.stop();
  const log = readFileSync(join(root, '.mesh/state/daemon.log'), 'utf8');
  const line = log.split('\n').find((one) => one.includes('broken on purpose')) ?? '';
  expect(line).toMatch(/at [^\\]*daemon\/[\w/-]+\.ts:\d+:\d+/);
  expect(line).not.toMatch(/dist\/daemon\.cjs:1:\d+/);
});
