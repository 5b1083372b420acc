import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMONS } from '../../contract/clusters.js';
import { SAVED_CLUSTERS_MAX } from '../../contract/saved-clusters.js';
import { Bus } from '../../events/bus.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ClusterAccess } from '../clusters/cluster-access.js';
import { ClusterHub } from '../clusters/cluster-hub.js';
import { type ClusterRow, ClustersStore } from '../clusters/clusters-store.js';
import { SavedClusters } from './saved-clusters.js';
import { SavedClustersStore } from './saved-clusters-store.js';

const LOBBY = { token: 'ck_lobby', admin_token: 'ak_lobby' };
const NOT_JOINED = { code: 'not_found', message: 'This cluster is not joined: join it first.' };
const IVY = { handle: 'ivy', vis: 'public', held: true } as const;

/** Saved clusters over a public cluster, a private one and the lobby, without a server. */
async function savedClusters({ content = null as JsonObject | null, hasSecrets = true } = {}) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const clusters = new ClustersStore(database);
  const row = { name: 'Quay', topic: '#quay', description: '', props: null, createdMs: 0, boards_enabled: true };
  const digests = (name: string) => ({ token: sha256(`ck_${name}`), admin: sha256(`ak_${name}`) });
  for (const [id, slug, visibility, name] of [
    ['open', 'open-slug', 'public', 'open'],
    ['closed', null, 'private', 'closed'],
    [COMMONS.id, COMMONS.slug, 'public', 'lobby'],
  ] as const)
    clusters.insert({ ...row, id, slug, visibility }, digests(name));
  const hub = new ClusterHub(clock);
  const bus = new Bus(clock);
  const events: string[] = [];
  bus.watch((event) => events.push(`${event.type} ${(event as unknown as { cluster: string }).cluster}`));
  const file = {
    ...{ path: 'rooms.json', content, writes: 0, onWrite: (): void => undefined },
    read: async () => file.content,
    async write(data: JsonObject) {
      file.onWrite();
      file.content = data;
      file.writes += 1;
    },
  };
  const asked = { mayWrite: true, times: 0 };
  const warnings: string[] = [];
  const saved = new SavedClusters({
    ...{ hub, bus, clock, store: new SavedClustersStore(file), commons: hasSecrets ? LOBBY : undefined },
    clusters: {
      find: (id) => clusters.find(id) ?? clusters.findBySlug(id),
      record: ({ createdMs, ...one }: ClusterRow) => ({ ...one, created_at: createdMs, online: hub.count(one.id) }),
    },
    clusterAccess: new ClusterAccess(clusters, new WrongCredentials(clock)),
    mayWriteSecrets: async () => {
      asked.times += 1;
      return asked.mayWrite;
    },
    warn: (message) => void warnings.push(message),
  });
  await saved.load();
  const hear = () => {
    const { connection } = hub.placeRemote(
      { id: 'open', visibility: 'public' },
      { handle: 'bo', did: null, vis: 'public' },
    );
    hub.find('open')?.broadcast(connection, () => Buffer.alloc(0));
  };
  return { clock, clusters, hub, events, file, asked, warnings, saved, hear };
}

describe('Saving a cluster', () => {
  it('asks for a valid handle', async () => {
    const { saved, file } = await savedClusters();
    await expect(saved.keep({ cluster_id: 'open', handle: ' ivy' })).rejects.toMatchObject({
      code: 'bad_request',
      message: '"handle" must be 1 to 64 characters that are seen, with no space at the ends.',
      details: { path: 'handle' },
    });
    await saved.keep({ cluster_id: 'open' });
    await expect(saved.update('open', { handle: '' })).rejects.toMatchObject({ code: 'bad_request' });
    expect(file.writes).toBe(1);
  });

  it('is refused beyond the limit, unless it is saved already', async () => {
    const others = Array.from({ length: SAVED_CLUSTERS_MAX - 1 }, (_, n) => [`c${n}`, IVY]);
    const { saved } = await savedClusters({ content: Object.fromEntries(others) });
    expect(await saved.keep({ cluster_id: 'open' })).toMatchObject({ isNew: true });
    await expect(saved.keep({ cluster_id: 'closed', token: 'ck_closed' })).rejects.toMatchObject({
      code: 'limit_reached',
      message: '200 clusters are saved, the maximum: leave one first.',
    });
    expect(await saved.keep({ cluster_id: 'open-slug', vis: 'ghost' })).toMatchObject({
      ...{ isNew: false, saved: { vis: 'ghost' } },
    });
  });

  it('changes what is given and keeps the rest, and tells and writes nothing when all is the same', async () => {
    const { saved, file, events } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    expect(file.content).toEqual({
      open: { handle: 'operator', vis: 'public', held: true, token: null, admin_token: null },
    });
    for (const [patch, expected] of [
      [{ handle: 'ivy' }, { handle: 'ivy', vis: 'public', held: true }],
      [{ vis: 'private' }, { handle: 'ivy', vis: 'private', held: true }],
      [{ held: false }, { handle: 'ivy', vis: 'private', held: false }],
      [{ token: 'ck_open' }, { handle: 'ivy', vis: 'private', held: false, member: true, admin: false }],
    ] as const) {
      expect(await saved.update('open-slug', patch)).toMatchObject({ cluster_id: 'open', ...expected });
      await saved.keep({ cluster_id: 'open', ...patch });
    }
    expect([file.writes, events]).toEqual([5, Array(5).fill('room.changed open')]);
    await saved.update('open', { handle: 'oak', vis: 'public', held: true, token: null, admin_token: 'ak_open' });
    expect(file.content).toEqual({
      open: { handle: 'oak', vis: 'public', held: true, token: null, admin_token: 'ak_open' },
    });
  });

  it('is undone when the cluster is deleted meanwhile', async () => {
    const { saved, file, clusters, events, hub } = await savedClusters();
    file.onWrite = () => {
      if (clusters.remove('open')) saved.onClusterRemoved('open');
    };
    await expect(saved.keep({ cluster_id: 'open' })).rejects.toMatchObject(NOT_JOINED);
    await expect(saved.leave('open')).rejects.toMatchObject(NOT_JOINED);
    expect([file.content, events, hub.ids]).toEqual([{}, ['room.changed open'], []]);
  });
});

describe('New secrets', () => {
  const FORBIDDEN = {
    code: 'forbidden',
    message:
      'Git tracks files under .mesh/credentials or .mesh/state, so no new secret is written. Run `git rm -r ' +
      '--cached --ignore-unmatch .mesh/credentials .mesh/state`, commit, and try again.',
  };

  it.each([{ token: 'ck_closed' }, { admin_token: 'ak_closed' }])(
    'are not written while that is unsafe: %j',
    async (given) => {
      const { saved, file, asked, hub } = await savedClusters();
      asked.mayWrite = false;
      await expect(saved.keep({ cluster_id: 'closed', ...given })).rejects.toMatchObject(FORBIDDEN);
      expect([file.writes, hub.ids]).toEqual([0, []]);
      asked.mayWrite = true;
      await saved.keep({ cluster_id: 'closed', ...given });
      asked.mayWrite = false;
      expect(await saved.update('closed', { vis: 'ghost' })).toMatchObject({ vis: 'ghost' });
      expect(await saved.keep({ cluster_id: 'open' })).toMatchObject({ isNew: true });
      expect(asked.times).toBe(2);
    },
  );
});

describe('The lobby', () => {
  it.each([{}, { token: 'ck_lobby' }, { token: 'ak_lobby' }, LOBBY])(
    'is administered with the tokens in its own file, which are not copied: %j',
    async (given) => {
      const { saved, file } = await savedClusters();
      await saved.keep({ cluster_id: COMMONS.slug, ...given });
      expect(file.content).toMatchObject({ [COMMONS.id]: { token: null, admin_token: null } });
      expect(saved.get(COMMONS.id)).toMatchObject({ ...LOBBY, member: true, admin: true });
    },
  );

  it('has the tokens that are saved for it where there is no such file', async () => {
    const { saved, file } = await savedClusters({ hasSecrets: false });
    await saved.keep({ cluster_id: COMMONS.id });
    expect(saved.get(COMMONS.id)).toMatchObject({ token: null, admin_token: null, member: false, admin: false });
    await saved.update(COMMONS.id, LOBBY);
    expect(file.content).toMatchObject({ [COMMONS.id]: LOBBY });
    expect(saved.get(COMMONS.id)).toMatchObject(LOBBY);
  });

  it('gives its tokens to no other cluster, and keeps others that were saved for it', async () => {
    const { saved } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    expect(saved.get('open')).toMatchObject({ token: null, admin_token: null });
    const commons = { ...IVY, token: 'ck_old', admin_token: 'ak_old' };
    const other = (await savedClusters({ content: { [COMMONS.id]: commons } })).saved;
    expect(other.get(COMMONS.slug)).toMatchObject({ token: 'ck_old', admin_token: 'ak_old' });
  });
});

describe('Saved clusters at the start', () => {
  it('are joined when they are held and there', async () => {
    const content = { open: IVY, closed: { ...IVY, held: false, token: 'ck_closed' }, gone: IVY };
    const { saved, hub } = await savedClusters({ content });
    expect(hub.ids).toEqual([]);
    saved.start();
    expect([hub.ids, hub.shown('open')]).toEqual([['open'], ['ivy']]);
    const { rooms, count } = saved.list();
    expect([rooms.map(({ cluster_id }) => cluster_id), count]).toEqual([['open', 'closed'], 2]);
    expect(() => saved.get('gone')).toThrow(expect.objectContaining(NOT_JOINED));
  });

  it('that are damaged are told to the operator, and nothing else fails for it', async () => {
    const { saved, warnings, hub } = await savedClusters({ content: { open: { handle: 7 } } });
    expect(warnings).toEqual(['rooms.json is damaged: fix it, or remove it to start without saved clusters.']);
    saved.start();
    expect(hub.ids).toEqual([]);
    expect(() => saved.list()).toThrow(expect.objectContaining({ code: 'store_readonly' }));
  });

  it('that can be used cause no warning', async () => {
    const { warnings } = await savedClusters({ content: { open: IVY } });
    expect(warnings).toEqual([]);
  });
});

describe('Messages in a saved cluster', () => {
  it('are counted and told, until they are read', async () => {
    const { saved, hear, events } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    expect([saved.read('open').unread, events.length]).toEqual([0, 1]);
    hear();
    expect([saved.get('open-slug').unread, events.splice(0)]).toEqual([1, Array(2).fill('room.changed open')]);
    expect([saved.read('open-slug').unread, saved.read('open').unread]).toEqual([0, 0]);
    expect(events).toEqual(['room.changed open']);
  });

  it('are not told once the daemon stops', async () => {
    const { saved, hear, events, clock } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    hear();
    hear();
    saved.stop();
    const before = events.length;
    clock.advance(5_000);
    expect(events).toHaveLength(before);
  });
});

describe('A cluster that is left or deleted', () => {
  it('is no longer saved, and its counts begin anew when it is saved again', async () => {
    const { saved, hear, hub, file, events } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    hear();
    expect(await saved.leave('open-slug')).toBe('open');
    expect([file.content, hub.shown('open'), events.at(-1)]).toEqual([{}, ['bo'], 'room.changed open']);
    for (const act of [() => saved.get('open'), () => saved.read('open')])
      expect(act).toThrow(expect.objectContaining(NOT_JOINED));
    await expect(saved.update('open', {})).rejects.toMatchObject(NOT_JOINED);
    await saved.keep({ cluster_id: 'open', held: false });
    expect(saved.get('open')).toMatchObject({ unread: 0, last_at: null });
  });

  it('is told as changed when it was saved', async () => {
    const { saved, events, file } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    saved.onClusterRemoved('closed');
    saved.onClusterRemoved('open');
    await saved.keep({ cluster_id: COMMONS.id });
    expect(events).toEqual(['room.changed open', 'room.changed open', `room.changed ${COMMONS.id}`]);
    expect(Object.keys(file.content ?? {})).toEqual([COMMONS.id]);
  });

  it('whose tokens cannot be forgotten is told to the operator', async () => {
    const { saved, file, warnings, events } = await savedClusters();
    await saved.keep({ cluster_id: 'open' });
    file.onWrite = () => {
      throw new MeshError('no_space', 'The disk is full.');
    };
    saved.onClusterRemoved('open');
    await saved.keep({ cluster_id: 'open' });
    expect(warnings).toEqual(['The tokens of the deleted cluster open could not be forgotten: The disk is full.']);
    expect(events).toEqual(['room.changed open']);
  });
});
