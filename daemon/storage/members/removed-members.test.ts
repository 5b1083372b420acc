import { readFileSync, statSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { RemovedMembers } from './removed-members.js';

const T = Date.UTC(2026, 10, 21, 12, 0, 0, 7);
const nameOf = (id: string, time: string) => `removed-members/${id}-2026-11-21T${time}Z.md`;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it('keeps the text of a member under its id and the time, readable by this user alone', async () => {
  const state = temporaryFolder();
  const path = await new RemovedMembers(state).keep('ada-2', 'Ada', T);
  expect(path).toBe('.mesh/state/removed-members/ada-2-2026-11-21T12-00-00-007Z.md');
  const file = join(state, nameOf('ada-2', '12-00-00-007'));
  const modes = [file, join(state, 'removed-members')].map((one) => statSync(one).mode & 0o777);
  expect([readFileSync(file, 'utf8'), modes]).toEqual(['Ada', [0o600, 0o700]]);
  expect(await new RemovedMembers(state).list(T)).toEqual([{ id: 'ada-2', removed_at: '2026-11-21T12:00:00.007Z' }]);
});

it('lists who was removed since a time, that included, each once and the last first', async () => {
  const removed = new RemovedMembers(temporaryFolder());
  for (const [id, at] of [
    ...[['bob', 1] as const, ['ada', 2] as const, ['eve', 3] as const, ['ada', 5] as const, ['bob', 4] as const],
    ...[['old', 0] as const, ['zoe', 6] as const],
  ])
    await removed.keep(id, id, T + at * 1_000);
  expect((await removed.list(T + 1_000)).map(({ id, removed_at }) => [id, Date.parse(removed_at) - T])).toEqual([
    ['zoe', 6_000],
    ['ada', 5_000],
    ['bob', 4_000],
    ['eve', 3_000],
  ]);
  expect((await removed.list(T + 5_001)).map(({ id }) => id)).toEqual(['zoe']);
});

it('reads the text that a member had when it was last removed', async () => {
  const removed = new RemovedMembers(temporaryFolder());
  for (const at of [4, 1, 7, 3, 9, 2, 5, 8, 6]) await removed.keep('ada', `text ${at}`, T + at);
  await removed.keep('bob', 'Bob', T + 99);
  expect([await removed.read('ada'), await removed.read('eve')]).toEqual(['text 9', undefined]);
});

it('reads and lists the last text in whatever order the system lists the files', async () => {
  const removed = new RemovedMembers(temporaryFolder());
  const times = [5, 3, 9, 1, 7];
  for (const at of times) await removed.keep('ada', `text ${at}`, T + at);
  const names = times.map((at) => `ada-2026-11-21T12-00-00-0${String(7 + at).padStart(2, '0')}Z.md`);
  vi.spyOn(promises, 'readdir').mockResolvedValue(names as never);
  syncBuiltinESMExports();
  expect([await removed.read('ada'), await removed.list(0)]).toEqual([
    'text 9',
    [{ id: 'ada', removed_at: '2026-11-21T12:00:00.016Z' }],
  ]);
});

it('has no text of a member whose last file cannot be read', async () => {
  const state = temporaryFolder({ [nameOf('ada', '12-00-00-000')]: 'readable' });
  writeFileSync(join(state, nameOf('ada', '13-00-00-000')), Buffer.from([0xff]));
  expect(await new RemovedMembers(state).read('ada')).toBeUndefined();
});

it('has nobody before anybody was removed, and says when the folder cannot be read', async () => {
  expect(await new RemovedMembers(temporaryFolder()).list(0)).toEqual([]);
  const state = temporaryFolder({ 'removed-members': 'a file' });
  await expect(new RemovedMembers(state).list(0)).rejects.toMatchObject({
    code: 'internal',
    message: `The folder ${join(state, 'removed-members')} cannot be read (ENOTDIR).`,
  });
});

it.each([
  nameOf('_ada', '12-00-00-000'),
  nameOf('Ada', '12-00-00-000'),
  nameOf('requests', '12-00-00-000'),
  nameOf('a', '12-00-00-000'),
  `${nameOf('ada', '12-00-00-000')}.tmp`,
  'removed-members/ada.md',
  'removed-members/ada-2026-11-21.md',
])('does not take %s for a removed member', async (path) => {
  expect(await new RemovedMembers(temporaryFolder({ [path]: 'x' })).list(0)).toEqual([]);
});
