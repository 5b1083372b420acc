import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { Refusal, standIn } from '../../testing/processes/daemon-stand-in.js';
import { scriptedDaemon } from '../../testing/processes/scripted-daemon.js';
import { putFiles } from '../../testing/temporary-folder.js';

const ID = 'c_00000000000000000001';
const CLUSTER = { id: ID, name: 'Crew', topic: '', description: '', visibility: 'private', boards_enabled: true };
const tokens = (kept: object) => ({
  '.mesh/credentials/clusters.json': JSON.stringify({ [ID]: { name: 'Crew', visibility: 'private', ...kept } }),
});

it.each<[string[], object]>([
  [['--lang', 'de'], { lang: 'de' }],
  [['--clear', 'lang', '--clear', 'where'], { lang: null, where: null }],
  [['--lang', 'de', '--clear', 'where'], { lang: 'de', where: null }],
  [['--where', 'none'], { where: 'none' }],
  [['--where', 'Berlin'], { where: { label: 'Berlin' } }],
  [['--where', '52.5,13.4, Berlin, Mitte '], { where: { lat: 52.5, lon: 13.4, label: 'Berlin, Mitte' } }],
])('cluster set %j sets %j', async (options, props) => {
  const { root, sent } = await scriptedDaemon({ [`PATCH /v1/clusters/${ID}`]: { cluster: { ...CLUSTER, props } } });
  putFiles(root, tokens({ admin_token: 'ak_1' }));
  await meshd(root, 'cluster', 'set', ID, ...options);
  expect(sent).toEqual([[`PATCH /v1/clusters/${ID}`, { props }]]);
});

it.each([
  [['--lang', 'de', '--clear', 'lang'], '"lang" is both set and cleared'],
  [['--where', 'none', '--lang', 'de', '--clear', 'where'], '"where" is both set and cleared'],
  [['--where', '52.5,13.4'], 'Say what people call the place'],
  [['--where', '52.5,13.4,'], 'Say what people call the place'],
  [['--where', '52.5,13.4, '], 'Say what people call the place'],
  [['--clear', 'colour'], 'It must be one of where, lang, entry, limits'],
])('cluster set %j is refused before anything is sent', async (options, message) => {
  const { root, sent } = await scriptedDaemon({});
  const { exit, err } = await meshd(root, 'cluster', 'set', ID, ...options);
  expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(message) });
  expect(sent).toEqual([]);
});

it.each([
  ['the member token', { token: 'ck_1' }, 'ck_1'],
  ['the admin token, when it is the only one', { admin_token: 'ak_1' }, 'ak_1'],
  ['the member token, when both are kept', { token: 'ck_1', admin_token: 'ak_1' }, 'ck_1'],
])('a private cluster is read with %s', async (_which, kept, token) => {
  const root = await standIn((_asked, headers) =>
    headers.authorization === `Bearer ${token}`
      ? { cluster: { ...CLUSTER, props: {}, online: 0 } }
      : new Refusal(404, { error: 'not_found', message: 'There is none.' }),
  );
  putFiles(root, tokens(kept));
  expect(await meshd(root, 'cluster', 'show', ID)).toMatchObject({ exit: 0, out: expect.stringContaining('Crew') });
});
