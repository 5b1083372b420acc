import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Health } from '../../contract/system.js';
import { beFound, daemon, meshd } from '../../testing/processes/command-line.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';
import { duration } from './status.js';

it.each([
  [0, '0 s'],
  [0.9, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [61, '1 min 1 s'],
  [3_599, '59 min 59 s'],
  [3_600, '1 h'],
  [3_601, '1 h'],
  [82_800, '23 h'],
  [86_340, '23 h 59 min'],
  [86_400, '1 d'],
  [90_061, '1 d 1 h'],
])('a duration of %d s is %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

it('is what the daemon tells of itself, without its proof', async () => {
  const app = await daemon();
  await app.untilIndexed();
  putFiles(app.root, { '.mesh/team/torn.md': '---\nname: [\n---\n' });
  await expect.poll(async () => ((await app.call('GET', '/health')).body as Health).members_broken).toBe(1);
  const health = (await app.call('GET', '/health')).body as Health;
  const report = JSON.parse((await meshd(app.root, 'status', '--json')).out) as Health;
  expect(report).not.toHaveProperty('proof');
  expect(report).toMatchObject({
    running: true,
    address: app.address,
    root: app.root,
    project: health.project,
    members: health.members,
  });
  const { exit, out, err } = await meshd(app.root, 'status');
  expect([exit, err]).toEqual([0, '']);
  expect(out.split('\n').slice(0, 2)).toEqual([
    `Address    ${app.address}`,
    `Project    ${health.project} (${app.root})`,
  ]);
  expect(out).toMatch(
    new RegExp(
      `^Daemon {5}version ${health.version.replaceAll('.', '\\.')}, pid ${health.pid}, up .+, \\d{2,4} MB$`,
      'm',
    ),
  );
  expect(out).toContain(`\nTeam       ${health.members} members, 1 broken, ${health.exposed} exposed`);
});

it('of a daemon that breaks off its answers says so, and doctor exits 1 for it', async () => {
  const server = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const root = ownState(temporaryFolder());
  beFound({ root, address, daemon: { secret: 'hush' } });
  const report = await meshd(root, 'status', '--json');
  expect([report.exit, JSON.parse(report.out)]).toEqual([
    3,
    { root, running: true, answers: false, reason: 'broken_off', pid: process.pid, address },
  ]);
  const sentence = `A daemon runs for ${root} (pid ${process.pid}) and gave no answer.`;
  expect(await meshd(root, 'status')).toEqual({ exit: 3, out: expect.stringContaining(sentence), err: '' });
  const bare = await meshd(root);
  expect([bare.exit, bare.out.includes(sentence)]).toEqual([0, true]);
  const { checks } = JSON.parse((await meshd(root, 'doctor', '--json')).out) as { checks: { id: string }[] };
  expect(checks.find(({ id }) => id === 'daemon')).toMatchObject({ state: 'fail', fix: 'tail .mesh/state/daemon.log' });
  expect((await meshd(root, 'doctor')).exit).toBe(1);
});
