import { describe, expect, it } from 'vitest';
import { COMMONS } from '../../contract/clusters.js';
import { type ClustersApp, clustersApp, type OwnCluster } from '../../testing/apps/clusters-app.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const JSON_ONLY = { accept: 'application/json' };

/** Hostile text for every field that other users can set. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title></h1><style>*{display:none}</style>',
  `{{constructor.constructor("alert(1)")()}} \${alert(1)}`,
  'javascript:alert(1)',
  '&lt;b&gt; &amp; &#x3c;',
  'before\u202egnp.exe\u2066after',
  'a\u0000b\u001b[31mc\u009b',
];
const MARKUP =
  /<\/?(?:html|head|meta|title|link|script|body|main|header|footer|section|article|div|dl|dt|dd|ul|ol|li|p|h[123]|code|pre|bdi|time|span|strong|small|a|svg|path|circle|details|summary|noscript)\b[^<>]*>|<!doctype html>/g;

const page = (app: ClustersApp, path: string) => app.call('GET', path, undefined, HTML);
const setRules = (app: ClustersApp, cluster: OwnCluster, body: object) =>
  app.call('PATCH', `/v1/clusters/${cluster.id}`, body, { 'x-cluster-token': cluster.admin });

/** A public cluster named Town with a board and a post. */
async function town(app: ClustersApp): Promise<OwnCluster> {
  const cluster = await app.aCluster({
    name: 'Town',
    topic: '#town',
    description: 'Where the town meets.',
    visibility: 'public',
  });
  await app.aBoard(cluster, 'lost');
  await setRules(app, cluster, {
    props: {
      where: { lat: 52.5163, lon: 13.3777, label: 'Berlin' },
      lang: 'de',
      entry: { age_min: 16, require: ['kind'] },
    },
  });
  await app.aPost(cluster, 'lost', { title: 'A glove' });
  return cluster;
}

describe('/clusters/<slug>', () => {
  it('returns the page to a browser and the cluster record to a program, and varies by Accept', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    const { cluster: record } = (await app.call('GET', `/v1/clusters/${cluster.id}`)).body as { cluster: object };
    for (const headers of [JSON_ONLY, {}]) {
      const reply = await app.call('GET', '/clusters/town', undefined, headers);
      expect([reply.status, reply.body]).toEqual([200, record]);
      expect(reply.headers.get('vary')).toBe('Accept');
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
    const reply = await page(app, '/clusters/town');
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'Accept',
    ]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('content-security-policy')).not.toContain('script-src');
    for (const said of [
      'Town',
      '#town',
      'Where the town meets.',
      'All about lost.',
      'A glove',
      'Berlin',
      '16 and older',
      'kind',
      '0 online',
    ]) {
      expect(reply.text).toContain(said);
    }
    expect(reply.text).toContain(`ws://127.0.0.1:${app.port}/v1/clusters/${cluster.id}/ws?agent=`);
    expect(reply.text).toContain('meshd cluster watch town');
    expect(reply.text).toContain('href="/monitor?slug=town"');
    expect(reply.text).toContain('href="/map"');
    expect(reply.text).toMatch(
      new RegExp(`<a href="/app/rooms/${cluster.id}/p/p_[0-9a-f]+\\?board=lost" dir="auto">A glove</a>`),
    );
    expect(reply.text).not.toMatch(/52\.5|13\.3/);
    expect((await page(app, `/clusters/${COMMONS.slug}`)).text).toContain(COMMONS.name);
  });

  it('responds with the same 404 to a private cluster, by any name, and to an unknown one', async () => {
    const app = await clustersApp();
    const crew = await app.aCluster({ name: 'Crew' });
    const none = await page(app, '/clusters/nothing-here');
    const noneJson = await app.call('GET', '/clusters/nothing-here', undefined, JSON_ONLY);
    expect([none.status, none.headers.get('vary'), none.headers.get('content-type')]).toEqual([
      404,
      'Accept',
      'text/html; charset=utf-8',
    ]);
    expect([noneJson.status, noneJson.body, noneJson.headers.get('vary')]).toEqual([
      404,
      { error: 'not_found', message: expect.any(String) },
      'Accept',
    ]);
    for (const path of [crew.id, 'crew', `${crew.id}?token=${crew.token}`, '%3Cscript%3E', 'a%00b', 'x'.repeat(90)]) {
      expect((await page(app, `/clusters/${path}`)).text).toBe(none.text);
      expect(
        (await app.call('GET', `/clusters/${path}`, undefined, { ...JSON_ONLY, 'x-cluster-token': crew.token })).text,
      ).toBe(noneJson.text);
    }
  });

  it('lists connected handles as external surfaces see them: private members masked, ghosts absent', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    await app.join(cluster, 'ada');
    await app.join(cluster, 'dot', { vis: 'private' });
    await app.join(cluster, 'shade', { vis: 'ghost' });
    const { text } = await page(app, '/clusters/town');
    expect(text).toContain('2 online');
    expect(text).toContain('<bdi>ada</bdi>');
    expect(text).toContain('<bdi>private-1</bdi>');
    expect(text).not.toMatch(/dot|shade/);
  });

  it('shows no posts of adults-only boards, no expired posts, and no boards that are turned off', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    await app.aBoard(cluster, 'late');
    await app.aPost(cluster, 'late', { title: 'After dark' });
    await app.call(
      'PATCH',
      `/v1/clusters/${cluster.id}/boards/late`,
      { props: { entry: { age_min: 18 } } },
      { 'x-cluster-token': cluster.admin },
    );
    const gated = (await page(app, '/clusters/town')).text;
    expect(gated).toContain('for people of 18 and older');
    expect(gated).not.toContain('After dark');
    for (let n = 0; n < 6; n += 1) await app.aPost(cluster, 'lost', { title: `Hat ${n}`, ttl: '24h' });
    const full = (await page(app, '/clusters/town')).text;
    expect(full.match(/Hat \d/g)).toEqual(['Hat 5', 'Hat 4', 'Hat 3', 'Hat 2', 'Hat 1']);
    expect(full).toContain('7 posts in all.');
    app.clock.step(86_400_000);
    expect((await page(app, '/clusters/town')).text).not.toContain('Hat');
    await setRules(app, cluster, { boards_enabled: false });
    const off = (await page(app, '/clusters/town')).text;
    expect(off).not.toMatch(/A glove|All about lost/);
  });

  it('shows hostile text literally in every field', async () => {
    const app = await clustersApp();
    for (const text of HOSTILE) {
      const cluster = await app.aCluster({
        name: text.slice(0, 80),
        topic: text.slice(0, 80),
        description: text,
        visibility: 'public',
      });
      await setRules(app, cluster, {
        boards_enabled: true,
        props: { where: { lat: 1, lon: 2, label: text }, entry: { require: [text] } },
      });
      const board = { slug: 'lost', name: text, kind: 'generic', about: text };
      await app.call('POST', `/v1/clusters/${cluster.id}/boards`, board, { 'x-cluster-token': cluster.admin });
      await app.aPost(cluster, 'lost', { title: text });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: handles must not contain control characters.
      const handle = text.slice(0, 64).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');
      const ada = await app.join(cluster, handle);
      await app.join(cluster, `${handle.slice(0, 60)} 2`, { vis: 'ghost' });
      const { slug } = ((await app.call('GET', `/v1/clusters/${cluster.id}`)).body as { cluster: { slug: string } })
        .cluster;
      for (const path of [`/clusters/${slug}`, `/monitor?slug=${slug}`, '/map']) {
        const reply = await page(app, path);
        expect([path, reply.status]).toEqual([path, 200]);
        expect([text, path, reply.text.replace(MARKUP, '').match(/[<>]/g)]).toEqual([text, path, null]);
        expect(reply.text).not.toMatch(
          // biome-ignore lint/suspicious/noControlCharactersInRegex: checks that control characters are absent.
          /<[^>]*\son\w+=|<style|href="javascript|[\u0000\u001b\u009b\u202a-\u202e\u2066-\u2069]/i,
        );
        expect(reply.text.match(/<script/g)?.length ?? 0).toBe(path.startsWith('/monitor') ? 1 : 0);
      }
      ada.socket.close();
      await ada.closed;
    }
  });
});

describe('/monitor', () => {
  it('accepts a slug, or an id with vis=public, and loads one own script under a strict policy', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    for (const query of ['slug=town', `id=${cluster.id}&vis=public`]) {
      const reply = await page(app, `/monitor?${query}`);
      expect(reply.status).toBe(200);
      expect(reply.text).toContain('Earlier messages are not saved');
      expect(reply.text).toContain(`data-cluster="${cluster.id}"`);
      expect(reply.text).toContain('href="/clusters/town"');
      expect(reply.text.match(/<script[^>]*>/g)).toEqual(['<script src="/monitor.js" defer>']);
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("trusted-types 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
    }
    const script = await app.call('GET', '/monitor.js');
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(script.text).toContain('vis=ghost&mask=1');
    expect(script.text).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval|token/);
  });

  it('lists the public clusters, and no private one, when it is given no name', async () => {
    const app = await clustersApp();
    await town(app);
    await app.aCluster({ name: 'Crew' });
    const { status, text } = await page(app, '/monitor');
    expect(status).toBe(200);
    expect(text).toContain('<a href="/monitor?slug=town"><bdi>Town</bdi></a>');
    expect(text).not.toContain('Crew');
    expect(text).not.toContain('<script');
  });

  it('responds with the same 404 to private and unknown clusters and other visibilities', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    const crew = await app.aCluster({ name: 'Crew' });
    const none = await page(app, '/monitor?slug=nothing-here');
    expect([none.status, none.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const queries = [
      'vis=public&slug=',
      `id=${crew.id}`,
      `id=${crew.id}&vis=public`,
      `id=${crew.id}&vis=public&token=${crew.token}`,
      `slug=${crew.id}`,
      'id=town&vis=public',
      `id=${cluster.id}&vis=private`,
      `slug=${cluster.id}`,
    ];
    for (const query of queries) {
      const reply = await page(app, `/monitor?${query}`);
      expect([query, reply.status, reply.text]).toEqual([query, 404, none.text]);
    }
  });
});

describe('/map', () => {
  it('draws the places and lists them by label, without printing coordinates', async () => {
    const app = await clustersApp();
    const cluster = await town(app);
    await app.aPost(cluster, 'lost', { title: 'A hat', props: { where: { label: 'On the ferry' } } });
    const { status, text, headers } = await page(app, '/map');
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    for (const said of [
      'Berlin',
      'href="/clusters/town"',
      'A glove',
      'On the ferry',
      'A hat',
      'known by its name only',
    ])
      expect(text).toContain(said);
    expect(text.match(/<circle/g)).toHaveLength(1);
    expect(text).not.toMatch(/52\.5|13\.4|13\.37/);
  });

  it('reports that it is empty and never contains a private cluster', async () => {
    const app = await clustersApp();
    const crew = await app.aCluster({ name: 'Crew' });
    await setRules(app, crew, { props: { where: { lat: 1, lon: 2, label: 'Hidden bay' } } });
    const { text } = await page(app, '/map');
    expect(text).toContain('has a location');
    expect(text).not.toMatch(/Crew|Hidden bay/);
  });
});
