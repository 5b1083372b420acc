import { ClusterClient } from './cluster-client.js';
import { HttpClient } from './http-client.js';
import {
  absent,
  epochSeconds,
  expectLike,
  holding,
  integer,
  matching,
  refusal,
  type Scenario,
  text,
  without,
} from './scenario.js';

const COMMONS = 'c_1b938b9ede1b436980e2';
const CREDENTIALS = { token: matching(/^ck_[\w-]{43}$/), admin_token: matching(/^ak_[\w-]{43}$/) };

export const CLUSTERS: readonly Scenario[] = [
  {
    title:
      'POST /v1/clusters answers 201 {cluster_id, token, admin_token, visibility, ws, protocol}; private by default',
    async check({ url }) {
      const like = { cluster_id: matching(/^c_[0-9a-f]{20}$/), ...CREDENTIALS, visibility: 'private', protocol: text };
      const { ws, cluster_id } = await new HttpClient(url).expect(201, 'POST', '/v1/clusters', { body: {} }, like);
      expectLike('ws', ws, matching(new RegExp(`^ws://[^/]+/v1/clusters/${cluster_id}/ws\\?.*ck_`)));
    },
  },
  {
    title: 'A public cluster has a slug, is listed in the catalog and read by id or slug without a credential',
    async check({ url }) {
      const body = { name: 'Old Pier', visibility: 'public', topic: '#pier', description: 'About the pier.' };
      const { id } = await ClusterClient.create(url, body);
      const record = { id, name: 'Old Pier', topic: '#pier', description: 'About the pier.' };
      const http = new HttpClient(url);
      const like = { clusters: holding({ ...record, slug: text }), count: integer };
      await http.expect(200, 'GET', '/v1/clusters?limit=200', {}, like);
      const full = { ...record, visibility: 'public', boards_enabled: false, created_at: epochSeconds, online: 0 };
      const { cluster } = await http.expect(200, 'GET', `/v1/clusters/${id}`, {}, { cluster: full });
      await http.expect(200, 'GET', `/v1/clusters/${cluster.slug}`, {}, { cluster: full });
    },
  },
  {
    title: 'Credentials are returned once at creation and stand in no record',
    async check({ url }) {
      const { id } = await ClusterClient.create(url, { visibility: 'public' });
      const cluster = { token: absent, admin_token: absent };
      await new HttpClient(url).expect(200, 'GET', `/v1/clusters/${id}`, {}, { cluster });
    },
  },
  {
    title: 'A private cluster is never listed, and 404 on public lookup like an unknown one',
    async check({ url }) {
      const { id, adminToken } = await ClusterClient.create(url, { name: 'Secret' });
      const http = new HttpClient(url);
      const { clusters } = await http.expect(200, 'GET', '/v1/clusters?limit=200');
      expectLike('the catalog', clusters, without({ id }));
      const hidden = await http.send('GET', `/v1/clusters/${id}`);
      const unknown = await http.send('GET', `/v1/clusters/c_${'0'.repeat(20)}`);
      expectLike('the lookup', hidden, { status: 404, body: refusal('not_found') });
      expectLike('the other lookup', unknown, { status: 404, body: hidden.body });
      await new HttpClient(url, adminToken).expect(200, 'GET', `/v1/clusters/${id}`, {}, { cluster: { id } });
    },
  },
  {
    title: 'The commons: a fixed id, slug the-commons, topic #public, open to all',
    async check({ url }) {
      const cluster = { id: COMMONS, slug: 'the-commons', topic: '#public', boards_enabled: true };
      for (const name of [COMMONS, 'the-commons'])
        await new HttpClient(url).expect(200, 'GET', `/v1/clusters/${name}`, {}, { cluster });
    },
  },
  ...[
    ['the header x-cluster-token', (token: string) => ({ headers: { 'x-cluster-token': token }, query: '' })],
    ['Authorization: Bearer', (token: string) => ({ headers: { authorization: `Bearer ${token}` }, query: '' })],
    ['query token', (token: string) => ({ headers: {}, query: `?token=${token}` })],
  ].map(([name, credential]): Scenario => {
    if (typeof credential !== 'function') throw new Error('A credential is sent in one of three ways.');
    return {
      title: `DELETE /v1/clusters/<cluster_id> with the admin token in ${name} answers {ok: true, cluster_id}`,
      async check({ url }) {
        const { id, path, adminToken } = await ClusterClient.create(url, { visibility: 'public' });
        const { headers, query } = credential(adminToken);
        const http = new HttpClient(url);
        await http.expect(200, 'DELETE', path + query, { headers }, { ok: true, cluster_id: id });
        await http.expect(404, 'GET', path, {}, refusal('not_found'));
        const { clusters } = await http.expect(200, 'GET', '/v1/clusters?limit=200');
        expectLike('the catalog', clusters, without({ id }));
      },
    };
  }),
  {
    title: 'A ck_ token is rejected on deletion with 401, as a missing and a wrong one are',
    async check({ url }) {
      for (const visibility of ['private', 'public']) {
        const { path, token } = await ClusterClient.create(url, { visibility });
        for (const http of [new HttpClient(url, token), new HttpClient(url)])
          await http.expect(401, 'DELETE', path, {}, refusal('unauthorized'));
      }
    },
  },
  {
    title: 'Unknown cluster_id on delete: 404',
    async check({ url }) {
      const http = new HttpClient(url, `ak_${'a'.repeat(43)}`);
      await http.expect(404, 'DELETE', `/v1/clusters/c_${'0'.repeat(20)}`, {}, refusal('not_found'));
    },
  },
  {
    title: 'PATCH /v1/clusters/<id> takes boards_enabled and/or props with the admin token',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      await cluster.administer(200, 'PATCH', '', { boards_enabled: true }, { cluster: { boards_enabled: true } });
      const props = { lang: 'no', where: { lat: 59.9, lon: 10.7, label: 'Oslo' } };
      await cluster.administer(200, 'PATCH', '', { props }, { cluster: { boards_enabled: true, props } });
      await cluster.administer(200, 'PATCH', '', { props: { lang: null } });
      await cluster.askFor(200, 'GET', '/boards', undefined, { cluster_props: { lang: absent, where: props.where } });
      const body = { boards_enabled: false };
      await new HttpClient(url, cluster.token).expect(401, 'PATCH', cluster.path, { body }, refusal('unauthorized'));
    },
  },
  {
    title: 'Two credentials in one request are 401 unless both are of the cluster',
    async check({ url }) {
      const { path, token, adminToken } = await ClusterClient.create(url);
      const other = await ClusterClient.create(url);
      await new HttpClient(url, adminToken).expect(401, 'DELETE', `${path}?token=${other.token}`);
      await new HttpClient(url, adminToken).expect(200, 'DELETE', `${path}?token=${token}`);
    },
  },
  {
    title: 'Idempotency-Key: the same creation gives the same cluster, with its secrets null',
    async check({ url }) {
      const extras = { body: { name: 'Once' }, headers: { 'idempotency-key': `once-${process.pid}` } };
      const http = new HttpClient(url);
      const { cluster_id } = await http.expect(201, 'POST', '/v1/clusters', extras, CREDENTIALS);
      const again = await http.send('POST', '/v1/clusters', extras);
      expectLike('the repetition', again.body, { cluster_id, token: null, admin_token: null });
      const other = { ...extras, body: { name: 'Twice' } };
      await http.expect(422, 'POST', '/v1/clusters', other, refusal('idempotency_mismatch'));
    },
  },
  {
    title: 'Public page {site_url}/clusters/<slug>; no token stands in it, and a private cluster has none',
    async check({ url }) {
      const page = await new HttpClient(url).send('GET', '/clusters/the-commons', { headers: { accept: 'text/html' } });
      expectLike('the page', page, { status: 200, body: matching(/The Commons/) });
      expectLike('a token in the page', /[ac]k_[\w-]{43}/.test(page.body), false);
      const { id } = await ClusterClient.create(url);
      const hidden = await new HttpClient(url).send('GET', `/clusters/${id}`, { headers: { accept: 'text/html' } });
      expectLike('the status', hidden.status, 404);
    },
  },
];
