import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMONS } from '../../contract/clusters.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { Database } from '../../storage/database/database.js';
import { card, upgrade, with_ } from '../../testing/apps/cluster-requests.js';
import { clustersApp, getReadyFrame, type OwnCluster } from '../../testing/apps/clusters-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ClusterAccess } from './cluster-access.js';
import { ClustersStore } from './clusters-store.js';

const UNKNOWN = 'c_00000000000000000000';

describe('Reading a cluster', () => {
  it('is allowed by id or slug for a public cluster, whatever token is sent', async () => {
    const app = await clustersApp();
    const { id } = await app.aCluster({ name: 'Open', visibility: 'public' });
    for (const ref of [id, 'open']) expect((await card(app, ref, with_('ck_wrong'))).cluster.id).toBe(id);
  });

  it("is allowed for holders of a private cluster's tokens, sent as a header, as a bearer token or in the query", async () => {
    const app = await clustersApp();
    const { id, token, admin } = await app.aCluster();
    for (const secret of [token, admin]) {
      expect((await card(app, id, with_(secret))).status).toBe(200);
      expect((await card(app, id, { authorization: `Bearer ${secret}` })).status).toBe(200);
      expect((await card(app, `${id}?token=${secret}`)).status).toBe(200);
      expect((await card(app, `${id}?token=${secret}`, with_(secret))).status).toBe(200);
    }
  });

  it('responds 404 to all others, identically for private and unknown clusters', async () => {
    const app = await clustersApp();
    const { id } = await app.aCluster();
    const other = await app.aCluster();
    const answers = new Set<string>();
    for (const ref of [id, UNKNOWN, 'no-such-slug', 'c_', '%20']) {
      for (const headers of [{}, with_(other.token), with_(`${other.admin}x`), with_('')]) {
        const reply = await app.call('GET', `/v1/clusters/${ref}`, undefined, headers);
        answers.add(`${reply.status} ${reply.text}`);
      }
    }
    expect([...answers]).toEqual([expect.stringMatching(/^404 {"error":"not_found"/)]);
  });

  it('responds 401 to two different credentials unless both are of the cluster', async () => {
    const app = await clustersApp();
    const { id, token, admin } = await app.aCluster();
    const other = await app.aCluster({ visibility: 'public' });
    for (const [ref, second, status] of [
      [id, admin, 200],
      [id, other.admin, 401],
      [other.id, other.admin, 401],
      [UNKNOWN, admin, 401],
      [COMMONS.id, admin, 401],
    ] as const) {
      const reply = await app.call('GET', `/v1/clusters/${ref}?token=${token}`, undefined, with_(second));
      expect([ref, reply.status]).toEqual([ref, status]);
    }
    expect((await app.call('GET', `/v1/clusters/${id}?token=${token}&token=${token}`)).status).toBe(401);
  });
});

describe('Opening the socket', () => {
  it('is allowed for anyone on a public cluster, and with the ck_ or ak_ on a private one', async () => {
    const app = await clustersApp();
    const open = await app.aCluster({ visibility: 'public' });
    const hidden = await app.aCluster();
    for (const [cluster, token, owner] of [
      [open, '', false],
      [open, 'ck_wrong', false],
      [open, open.token, true],
      [open, open.admin, true],
      [open, hidden.admin, false],
      [hidden, hidden.token, false],
      [hidden, hidden.admin, true],
    ] as const) {
      const client = await app.join(cluster, 'ada', token === '' ? {} : { token });
      expect(getReadyFrame(client)).toMatchObject({ public: cluster.isPublic, owner });
    }
    for (const header of [`Authorization: Bearer ${hidden.token}`, `X-Cluster-Token: ${hidden.token}`]) {
      expect((await upgrade(app, hidden.id, 'agent=a', header)).status).toBe(101);
    }
    expect((await upgrade(app, open.id, 'agent=a&unknown=1&vis=public')).status).toBe(101);
  });

  it('responds 401 before the upgrade without a valid token, identically for private and unknown clusters', async () => {
    const app = await clustersApp();
    const hidden = await app.aCluster();
    const other = await app.aCluster();
    const gone = await app.aCluster();
    await app.call('DELETE', `/v1/clusters/${gone.id}`, undefined, with_(gone.admin));
    const answers = new Set<string>();
    for (const id of [hidden.id, UNKNOWN, gone.id, 'nonsense']) {
      for (const token of [
        '',
        '&token=',
        '&token=ck_wrong',
        `&token=${other.token}`,
        `&token=${gone.token}`,
        `&token=${hidden.token}x`,
      ]) {
        if (id !== hidden.id && token.includes(hidden.token)) continue;
        const { status, body } = await upgrade(app, id, `agent=a${token}`);
        answers.add(`${status} ${body}`);
      }
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 {"error":"unauthorized"/);
    expect((await upgrade(app, hidden.id, `agent=a&token=${hidden.token}&token=${hidden.token}`)).status).toBe(401);
    expect(
      (await upgrade(app, hidden.id, `agent=a&token=${hidden.token}`, `X-Cluster-Token: ${other.admin}`)).status,
    ).toBe(401);
    expect(app.hub.sockets).toBe(0);
  });

  it.each<[string, string, string]>([
    ['no agent', '', 'agent'],
    ['an empty agent', 'agent=', 'agent'],
    ['65 characters', `agent=${'x'.repeat(65)}`, 'agent'],
    ['a control character', 'agent=a%07b', 'agent'],
    ['a bidirectional character', 'agent=a%E2%80%AEb', 'agent'],
    ['a zero-width character', 'agent=a%E2%80%8Bb', 'agent'],
    ['a space at the end', 'agent=a%20', 'agent'],
    ['two agents', 'agent=a&agent=b', 'agent'],
    ['a did that is no did:key', 'agent=a&did=did:web:example.org', 'did'],
    ['an unknown vis', 'agent=a&vis=invisible', 'vis'],
  ])('responds 400 to %s', async (_name, query, path) => {
    const app = await clustersApp();
    const { status, body } = await upgrade(app, COMMONS.id, query);
    expect([status, JSON.parse(body)]).toEqual([400, { error: 'bad_request', message: expect.any(String), path }]);
  });

  it('accepts any handle of 64 characters', async () => {
    const app = await clustersApp();
    for (const agent of ['\u{1f98a}'.repeat(64), 'Ada Lovelace', 'агент-7', '__proto__', 'constructor']) {
      const client = await app.join({ id: COMMONS.id, isPublic: true } as OwnCluster, agent);
      expect(getReadyFrame(client)).toMatchObject({ you: agent, online: [agent] });
      client.socket.close();
      await client.closed;
    }
  });

  it('rejects other origins, and plain requests without an upgrade', async () => {
    const app = await clustersApp();
    expect((await upgrade(app, COMMONS.id, 'agent=a', 'Origin: https://evil.example')).status).toBe(403);
    expect((await app.call('GET', `/v1/clusters/${COMMONS.id}/ws?agent=a`)).status).toBe(426);
  });
});

describe('Wrong credentials', () => {
  it('result in 429 after twenty a minute, for unknown as for private clusters, while right ones are still accepted', async () => {
    const app = await clustersApp();
    const { id, token, admin } = await app.aCluster();
    for (const ref of [id, UNKNOWN]) {
      const seen: number[] = [];
      for (let n = 0; n < 22; n += 1)
        seen.push((await app.call('GET', `/v1/clusters/${ref}`, undefined, with_(`ck_${n}`))).status);
      expect(seen).toEqual([...Array<number>(20).fill(404), 429, 429]);
      expect((await upgrade(app, ref, 'agent=a&token=ck_x')).status).toBe(429);
    }
    expect((await card(app, id, with_(token))).status).toBe(200);
    expect((await upgrade(app, id, `agent=a&token=${token}`)).status).toBe(101);
    expect((await app.call('DELETE', `/v1/clusters/${id}`, undefined, with_(admin))).status).toBe(200);
  });

  it('are not stored, and right ones are stored as digests only', async () => {
    const app = await clustersApp();
    const { token, admin } = await app.aCluster();
    const stored = Buffer.concat([readFileSync(`${app.root}/mesh.db`), readFileSync(`${app.root}/mesh.db-wal`)]);
    for (const secret of [token, admin]) expect(stored.includes(secret)).toBe(false);
  });
});

describe('Access to a cluster', () => {
  const LONG = 'x'.repeat(80);

  function anAccess() {
    const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
    onTestFinished(() => database.close());
    const store = new ClustersStore(database);
    const row = { slug: null, name: 'Quay', topic: '', description: '', boards_enabled: false, createdMs: 0 };
    for (const visibility of ['public', 'private'] as const)
      store.insert(
        { ...row, id: visibility, visibility, props: null },
        { token: sha256(`ck_${visibility}`), admin: sha256(`ak_${visibility}`) },
      );
    store.insert({ ...row, id: 'nobodys', visibility: 'private', props: null }, { token: null, admin: null });
    const access = new ClusterAccess(store, new WrongCredentials(new FakeClock()));
    const attempt = (how: 'asReader' | 'asAdmin' | 'requireJoiner', id: string, credential?: string | string[]) => {
      try {
        const entered = access[how](id, credential);
        return 'role' in entered ? entered.role : entered.id;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    return { access, attempt };
  }

  it.each([
    ['public', 'ak_public', ['admin', 'admin', 'public', 'admin']],
    ['public', 'ck_public', ['member', 'member', 'unauthorized', 'member']],
    ['public', 'ck_private', ['visitor', 'visitor', 'unauthorized', 'visitor']],
    ['public', undefined, ['visitor', 'visitor', 'unauthorized', 'visitor']],
    ['private', 'ak_private', ['admin', 'admin', 'private', 'admin']],
    ['private', 'ck_private', ['member', 'member', 'unauthorized', 'member']],
    ['private', 'ak_public', ['not_found', 'unauthorized', 'unauthorized', 'visitor']],
    ['private', undefined, ['not_found', 'unauthorized', 'unauthorized', 'visitor']],
    ['nobodys', '', ['not_found', 'unauthorized', 'unauthorized', 'visitor']],
    ['nobodys', 'ck_public', ['not_found', 'unauthorized', 'unauthorized', 'visitor']],
    ['unknown', 'ak_public', ['not_found', 'unauthorized', 'not_found', 'visitor']],
    ['unknown', undefined, ['not_found', 'unauthorized', 'not_found', 'visitor']],
  ])('to %s with the credential %s depends on the role that it gives', (id, credential, expected) => {
    const { access, attempt } = anAccess();
    const found = (['asReader', 'requireJoiner', 'asAdmin'] as const).map((how) => attempt(how, id, credential));
    expect([...found, access.roleOf(id, credential)]).toEqual(expected);
  });

  it('with both of its tokens is that of the admin, and with a foreign one beside them is none', () => {
    const { attempt } = anAccess();
    const enter = (id: string, ...credentials: string[]) =>
      (['asReader', 'requireJoiner', 'asAdmin'] as const).map((how) => attempt(how, id, credentials));
    expect(enter('private', 'ck_private', 'ak_private')).toEqual(['admin', 'admin', 'private']);
    for (const id of ['private', 'public', 'unknown'])
      expect(enter(id, `ak_${id}`, 'ck_other')).toEqual(Array(3).fill('unauthorized'));
  });

  it.each(['asReader', 'requireJoiner', 'asAdmin'] as const)(
    'is slowed down for whoever guesses, and for nobody else: %s',
    (how) => {
      const { attempt } = anAccess();
      for (let n = 0; n < 30; n += 1) attempt(how, 'private');
      expect(attempt(how, 'private', 'ck_0')).not.toBe('too_many_requests');
      for (let n = 1; n < 20; n += 1) attempt(how, 'private', `ck_${n}`);
      expect(attempt(how, 'private', 'ck_20')).toBe('too_many_requests');
      expect(attempt(how, 'private')).not.toBe('too_many_requests');
      expect(attempt(how, 'unknown', 'ck_20')).not.toBe('too_many_requests');
      expect(attempt(how, 'private', 'ak_private')).toMatch(/^(admin|private)$/);
    },
  );

  it('counts guesses by the first eighty characters of an id, so that a caller fills no memory', () => {
    const { attempt } = anAccess();
    for (let n = 0; n < 20; n += 1) attempt('asReader', `${LONG}${n}`, 'ck_x');
    expect(attempt('asReader', `${LONG}-`, 'ck_x')).toBe('too_many_requests');
    expect(attempt('asReader', LONG.slice(1), 'ck_x')).toBe('not_found');
  });

  it('to one that is not there is refused with what to send', () => {
    const { access } = anAccess();
    expect(() => access.asReader('unknown', undefined)).toThrow(
      'There is no such cluster, or it is private: send its token as x-cluster-token if you have one.',
    );
  });
});
