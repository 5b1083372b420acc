import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../storage/database/database.js';
import { Transactions } from '../../../storage/database/transaction.js';
import { StreamedCopies } from '../../../storage/files/streamed-copies.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { newKey } from '../../../testing/network-samples.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { SetAside } from './set-aside.js';

const key = newKey();

/** A store with hub agents, and the folder of its copies. */
function aStore() {
  const root = temporaryFolder();
  const database = new Database(putTemplateDatabase(join(root, 'mesh.db')));
  onTestFinished(() => database.close());
  const clock = new FakeClock(1_700_000_000_000);
  const state = { replaced: 0 };
  const folder = join(root, 'copies');
  const setAside = new SetAside({
    ...{ database, clock, key, transactions: new Transactions(database) },
    copies: new StreamedCopies(folder, '.jsonl.gz'),
    kinds: {
      replaced: async () => {
        state.replaced += 1;
      },
    },
  });
  const hold = (...ids: string[]) => {
    database.sql('DELETE FROM hub_agents').run();
    const insert = database.sql("INSERT INTO hub_agents VALUES (NULL, ?, ?, 'rid', x'00', NULL, '[]', NULL, 0, 5)");
    for (const id of ids) insert.run(id, id);
  };
  const held = () => database.sql('SELECT agent_id FROM hub_agents ORDER BY agent_id').pluck().all();
  const change = (name: string, edit: (text: string) => string) => {
    const path = join(folder, `${name}.jsonl.gz`);
    writeFileSync(path, gzipSync(edit(gunzipSync(readFileSync(path)).toString())));
  };
  return { setAside, clock, state, folder, hold, held, change };
}

it('keeps copies that name when they were made and what came then, the newest first', async () => {
  const { setAside, clock, hold, folder } = aStore();
  expect(await setAside.list()).toEqual([]);
  hold('ada');
  expect(await setAside.keep('docks')).toBe('1700000000000-before-docks');
  clock.step(1);
  expect(await setAside.keep('restore')).toBe('1700000000001-before-restore');
  for (const name of ['another', '1700-after-docks', 'x1700-before-docks', '1700-before-'])
    writeFileSync(join(folder, `${name}.jsonl.gz`), '');
  expect(await setAside.list()).toEqual([
    { name: '1700000000001-before-restore', made_at: '2023-11-14T22:13:20.001Z', before: 'restore' },
    { name: '1700000000000-before-docks', made_at: '2023-11-14T22:13:20.000Z', before: 'docks' },
  ]);
});

it('restores a copy by its name, else the newest, and tells who keeps the data in memory', async () => {
  const { setAside, clock, state, hold, held } = aStore();
  hold('ada', 'ben');
  const first = await setAside.keep('docks');
  clock.step(1);
  hold('cleo');
  await setAside.keep('quays');
  hold('dora');
  await setAside.restore(first);
  expect([held(), state.replaced]).toEqual([['ada', 'ben'], 1]);
  await setAside.restore();
  expect([held(), state.replaced]).toEqual([['cleo'], 2]);
});

it('says that there is no copy, of that name or at all', async () => {
  const { setAside, state, hold, held } = aStore();
  hold('ada');
  const none = { code: 'not_found', message: 'There is no copy of the data before the network.' };
  await expect(setAside.restore()).rejects.toMatchObject(none);
  const unknown = {
    code: 'not_found',
    message: 'There is no copy "1-before-docks": meshd network copies lists them.',
  };
  await expect(setAside.restore('1-before-docks')).rejects.toMatchObject(unknown);
  await expect(setAside.check('1-before-docks')).rejects.toMatchObject(unknown);
  expect([held(), state.replaced]).toEqual([['ada'], 0]);
});

it.each<[string, (text: string) => string, string]>([
  ['is cut off', (text) => text.slice(0, -10), 'it is cut off'],
  ['was changed', (text) => text.replace('"ada"', '"eve"'), 'its signature is wrong'],
  [
    ...(['has another table', (text: string) => text.replace('"table":"boards"', '"table":"asks"')] as const),
    'it holds a table "asks", which is not shared',
  ],
  [
    'is of another version',
    (text) => text.replace('"table":"boards","columns":["seq",', '"table":"boards","columns":['),
    'its table "boards" is of another version of meshd: upgrade the older one',
  ],
])('checks a copy to its end: one that %s is refused', async (_, edit, why) => {
  const { setAside, hold, held, change } = aStore();
  hold('ada');
  const name = await setAside.keep('docks');
  await expect(setAside.check(name)).resolves.toBeUndefined();
  change(name, edit);
  await expect(setAside.check(name)).rejects.toMatchObject({
    ...{ code: 'bad_request', message: `The copy "${name}" cannot be restored: ${why}.`, details: { path: 'copy' } },
  });
  expect(held()).toEqual(['ada']);
});

it('restores no snapshot of a network as a copy', async () => {
  const { setAside, hold, change } = aStore();
  hold('ada');
  const name = await setAside.keep('docks');
  change(name, (text) => text.replace('"network":""', '"network":"docks"'));
  await expect(setAside.restore(name)).rejects.toThrow('it is of another state of the network');
});
