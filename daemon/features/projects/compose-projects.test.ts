import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { App } from '../../http/route-types.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { composeProjects } from './compose-projects.js';

const OWN = {
  ...{ name: 'lamp', root: '/work/lamp', address: 'http://127.0.0.1:9', pid: 1, version: '1' },
  started_at: '2026-01-01T00:00:00.000Z',
};

async function compose(folder: string | undefined) {
  const logged: string[] = [];
  const app = { log: { warn: (message: string) => logged.push(message) }, register: async () => undefined };
  const running = await composeProjects({
    ...{ app: app as unknown as App, clock: new FakeClock(), folder, ownUid: process.getuid?.() },
    ...{ own: () => OWN, findCommand: async () => ['meshd'] },
  });
  await running.announce();
  return { running, logged };
}

it('a user without a home directory has this project alone, and no entry', async () => {
  const { running, logged } = await compose(undefined);
  expect(await running.list()).toEqual({ projects: [{ ...OWN, current: true }], count: 1, command: ['meshd'] });
  expect(logged).toEqual([]);
});

it('an entry that cannot be written is a line of the log', async () => {
  const folder = join(temporaryFolder({ file: '' }), 'file', 'projects');
  expect((await compose(folder)).logged).toEqual([
    'other daemons of this user are not told of this one: its entry could not be written',
  ]);
});
