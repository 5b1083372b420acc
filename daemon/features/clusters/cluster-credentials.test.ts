import { describe, expect, it } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import { upgrade, with_ } from '../../testing/apps/cluster-requests.js';
import { type ClustersApp, clustersApp, getReadyFrame, type OwnCluster } from '../../testing/apps/clusters-app.js';

/** The response statuses of all administrative requests of a cluster. */
const administered = async (app: ClustersApp, { id }: OwnCluster, token: string): Promise<number[]> => [
  (await app.call('PATCH', `/v1/clusters/${id}`, { boards_enabled: true }, with_(token))).status,
  (
    await app.call(
      'POST',
      `/v1/clusters/${id}/boards`,
      { slug: 'a', name: 'A', kind: 'events', about: '' },
      with_(token),
    )
  ).status,
  (await app.call('DELETE', `/v1/clusters/${id}`, undefined, with_(token))).status,
];

describe('Token (ck_)', () => {
  it('joins and observes a private cluster', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster();
    expect(getReadyFrame(await app.join(cluster, 'ada'))).toMatchObject({ owner: false, online: ['ada'] });
    expect(getReadyFrame(await app.join(cluster, 'spectator', { vis: 'ghost' }))).toMatchObject({
      owner: false,
      online: ['ada'],
    });
  });

  it('reads the history of a public cluster and observes it as an owner, but is not required to join it', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    await app.aBoard(cluster, 'jobs');
    const history = await app.call('GET', `/v1/clusters/${cluster.id}/history`, undefined, with_(cluster.token));
    expect([history.status, history.body]).toMatchObject([200, { events: [{ event: 'board_created', slug: 'jobs' }] }]);
    expect(getReadyFrame(await app.join(cluster, 'spectator', { vis: 'ghost', token: cluster.token }))).toMatchObject({
      owner: true,
    });
    expect(getReadyFrame(await app.join(cluster, 'ada'))).toMatchObject({ owner: false });
  });

  it.each(['private', 'public'] as const)('has no administrative access to a %s cluster: 401', async (visibility) => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility });
    expect(await administered(app, cluster, cluster.token)).toEqual([401, 401, 401]);
    expect((await app.call('GET', `/v1/clusters/${cluster.id}`, undefined, with_(cluster.token))).status).toBe(200);
  });
});

describe('Admin token (ak_)', () => {
  it('is returned only at creation, as is the token', async () => {
    const app = await clustersApp();
    const made = (await app.call('POST', '/v1/clusters', { visibility: 'public', name: 'Lamp' }))
      .body as ClusterCreated;
    const admin = with_(made.admin_token as string);
    const path = `/v1/clusters/${made.cluster_id}`;
    const board = { slug: 'jobs', name: 'Jobs', kind: 'generic', about: '' };
    const texts = [
      (await app.call('PATCH', path, { boards_enabled: true }, admin)).text,
      (await app.call('POST', `${path}/boards`, board, admin)).text,
      (await app.call('GET', path, undefined, admin)).text,
      (await app.call('GET', `${path}/boards`, undefined, admin)).text,
      (await app.call('GET', `${path}/history`, undefined, admin)).text,
      (await app.call('GET', '/v1/clusters', undefined, admin)).text,
      JSON.stringify(
        (
          await app.join({ id: made.cluster_id, isPublic: true } as OwnCluster, 'ada', {
            token: made.admin_token as string,
          })
        ).frames,
      ),
      (await app.call('DELETE', path, undefined, admin)).text,
    ];
    for (const text of texts) expect(text).not.toMatch(/[ac]k_[A-Za-z0-9_-]{10}/);
  });

  it('does not exist for a cluster without an admin digest, which nobody can administer and members can still use', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster();
    await app.database.write(() =>
      app.database.sql('UPDATE clusters SET admin_sha256 = NULL WHERE id = ?').run(cluster.id),
    );
    for (const token of [cluster.admin, cluster.token, 'ak_', 'null'])
      expect(await administered(app, cluster, token)).toEqual([401, 401, 401]);
    expect(getReadyFrame(await app.join(cluster, 'ada'))).toMatchObject({ owner: false });
  });
});

describe('Changes that the contract does not support yet', () => {
  it.each([{ name: 'Another' }, { visibility: 'public' }, { topic: '#other' }, { slug: 'other' }])(
    'responds 400 to PATCH %j',
    async (patch) => {
      const app = await clustersApp();
      const { id, admin } = await app.aCluster({ name: 'Lamp', topic: '#lamp' });
      const reply = await app.call('PATCH', `/v1/clusters/${id}`, patch, with_(admin));
      expect([reply.status, reply.body]).toMatchObject([400, { error: 'unknown_key' }]);
      expect((await app.call('GET', `/v1/clusters/${id}`, undefined, with_(admin))).body).toMatchObject({
        cluster: { name: 'Lamp', visibility: 'private', topic: '#lamp', slug: null },
      });
    },
  );
});

describe('Cluster identifiers', () => {
  it('resolves the id, and the slug of a public cluster, but not its name', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public', name: 'Harbour Lights' });
    for (const address of [cluster.id, 'harbour-lights']) {
      expect((await app.call('GET', `/v1/clusters/${address}`)).body).toMatchObject({
        cluster: { id: cluster.id, name: 'Harbour Lights' },
      });
    }
    for (const name of ['Harbour Lights', 'harbour lights', 'Harbour-Lights']) {
      expect((await app.call('GET', `/v1/clusters/${encodeURIComponent(name)}`)).status).toBe(404);
    }
  });

  it('opens the socket by id only and treats a slug like an unknown cluster', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public', name: 'Lamp' });
    const answers: string[] = [];
    for (const id of ['lamp', 'c_00000000000000000000']) {
      const { status, body } = await upgrade(app, id, 'agent=ada');
      answers.push(`${status} ${body}`);
    }
    expect(answers).toEqual([expect.stringMatching(/^401 /), answers[0]]);
    expect(getReadyFrame(await app.join(cluster, 'ada')).online).toEqual(['ada']);
  });

  it('does not accept a slug as a credential for administration', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public', name: 'Lamp' });
    expect(await administered(app, { ...cluster, id: 'lamp' }, '')).not.toContain(200);
    expect((await app.call('DELETE', '/v1/clusters/lamp', undefined, with_(cluster.admin))).status).toBe(404);
    expect((await app.call('GET', '/v1/clusters/lamp')).status).toBe(200);
  });
});
