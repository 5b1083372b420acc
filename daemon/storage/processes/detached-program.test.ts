import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { startDetached } from './detached-program.js';

it('starts a program in a session of its own, in its folder and with its environment alone', async () => {
  const cwd = temporaryFolder();
  const script = 'echo "$$ $(cut -d" " -f6 /proc/$$/stat) $PWD $1 $HELD $HOME" > out.new; mv out.new out';
  await startDetached({
    bin: '/bin/sh',
    args: ['-c', script, 'sh', '$(x)'],
    cwd,
    environment: { PATH: process.env['PATH'] ?? '', HELD: 'held' },
  });
  await expect.poll(() => existsSync(join(cwd, 'out'))).toBe(true);
  const [pid, session, ...rest] = readFileSync(join(cwd, 'out'), 'utf8').trim().split(' ');
  expect([session, rest]).toEqual([pid, [cwd, '$(x)', 'held']]);
});

it('says why a program cannot be started', async () => {
  const cwd = temporaryFolder({ text: '' });
  const start = (name: string) => startDetached({ bin: join(cwd, name), args: [], cwd, environment: {} });
  await expect(start('none')).rejects.toMatchObject({
    name: 'ProcessError',
    kind: 'not_started',
    message: expect.stringMatching(/none could not be started: .*ENOENT.*\.$/),
  });
  chmodSync(join(cwd, 'text'), 0o644);
  await expect(start('text')).rejects.toMatchObject({
    kind: 'not_started',
    message: `${cwd}/text could not be started: it may not be run (check its permissions).`,
  });
});

it('starts a program without pipes, so that it can outlive the daemon', async () => {
  const cwd = temporaryFolder();
  const script = 'files=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2); echo $files > out.new; mv out.new out';
  const environment = { PATH: process.env['PATH'] ?? '' };
  await startDetached({ bin: '/bin/sh', args: ['-c', script], cwd, environment });
  await expect.poll(() => existsSync(join(cwd, 'out'))).toBe(true);
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('/dev/null /dev/null /dev/null\n');
});
