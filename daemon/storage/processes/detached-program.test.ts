import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { inScope, isInService, startDetached } from './detached-program.js';

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

it('starts a program in a control group of its own where the daemon is a service', async () => {
  const cgroup = (name: string) => join(temporaryFolder({ cgroup: `0::/user.slice/user-7.slice/${name}\n` }), 'cgroup');
  const inApps = 'user@7.service/app.slice/';
  expect(isInService(cgroup(`${inApps}meshd-lamp-1f0c2a.service`))).toBe(true);
  for (const other of [
    'session-2.scope',
    `${inApps}gnome-terminal-server.service`,
    `${inApps}meshd-lamp.service/code.scope`,
  ])
    expect(isInService(cgroup(other))).toBe(false);
  expect(isInService('/nonexistent')).toBe(false);

  const cwd = temporaryFolder({ 'systemd-run': '#!/bin/sh\necho "$@" > out.new; mv out.new out\n' });
  chmodSync(join(cwd, 'systemd-run'), 0o755);
  const environment = { PATH: process.env['PATH'] ?? '' };
  await startDetached(
    inScope(join(cwd, 'systemd-run'), { bin: '/bin/code', args: ['--goto', 'a:1'], cwd, environment }),
  );
  await expect.poll(() => existsSync(join(cwd, 'out'))).toBe(true);
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('--user --scope --quiet --collect -- /bin/code --goto a:1\n');
});
