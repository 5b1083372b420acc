import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Board, Post, PostList } from '../../contract/boards.js';
import type { Where } from '../../contract/clusters.js';
import { distanceKm, type Point } from '../../lib/agents/geo.js';
import { type ACluster, type BoardsApp, boardsApp } from '../../testing/apps/boards-app.js';

const BERLIN = { lat: 52.52, lon: 13.405, label: 'Berlin' };
const POTSDAM = { lat: 52.3906, lon: 13.0645, label: 'Potsdam' };
const PARIS = { lat: 48.8566, lon: 2.3522, label: 'Paris' };

const near = async (app: BoardsApp, cluster: ACluster, { lat, lon }: Point, km = '') => {
  const query = `near=${lat},${lon}${km === '' ? '' : `&km=${km}`}`;
  return ((await app.onBoards(cluster, 'GET', `/flats/posts?${query}`)).body as PostList).posts;
};
const titles = (posts: readonly Post[]) => posts.map(({ title }) => title);
const put = (app: BoardsApp, cluster: ACluster, board: Board, places: Record<string, Where | undefined>) =>
  Object.entries(places).reduce(
    (before, [title, where]) =>
      before.then(async () => void (await app.aPost(cluster, board, { title, props: where ? { where } : null }))),
    Promise.resolve(),
  );

describe('Posts near a point', () => {
  it('are those within km, 50 by default, newest first, each with its distance', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    await put(app, cluster, await app.aBoard(cluster), { berlin: BERLIN, paris: PARIS, potsdam: POTSDAM });
    const found = await near(app, cluster, BERLIN);
    expect(titles(found)).toEqual(['potsdam', 'berlin']);
    expect(found[0]?.distance_km).toBeCloseTo(27.2, 0);
    expect(found[1]?.distance_km).toBe(0);
    expect(titles(await near(app, cluster, BERLIN, '20'))).toEqual(['berlin']);
    expect(titles(await near(app, cluster, BERLIN, '20000'))).toEqual(['potsdam', 'paris', 'berlin']);
    expect((await app.onBoards(cluster, 'GET', '/flats/posts')).text).not.toContain('distance_km');
    const one = `/flats/posts/${found[0]?.id}?near=52.52,13.405&km=10&lang=de&adult=1`;
    expect((await app.onBoards(cluster, 'GET', one)).body).toEqual({ post: found[0] });
  });

  it('are selected by effective place: inherited from board, then cluster, and unlocated for none and for a label alone', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster);
    await put(app, cluster, board, {
      own: POTSDAM,
      unset: undefined,
      none: 'none',
      label: { label: 'By the river' },
      far: PARIS,
    });
    const cases: [cluster: Where | null, board: Where | null, found: string[]][] = [
      [null, null, ['own']],
      [BERLIN, null, ['unset', 'own']],
      [PARIS, BERLIN, ['unset', 'own']],
      [BERLIN, PARIS, ['own']],
      [BERLIN, 'none', ['own']],
      [BERLIN, { label: 'Here' }, ['own']],
      ['none', BERLIN, ['unset', 'own']],
    ];
    for (const [ofCluster, ofBoard, found] of cases) {
      await app.call(
        'PATCH',
        `/v1/clusters/${cluster.id}`,
        { props: { where: ofCluster } },
        { 'x-cluster-token': cluster.admin },
      );
      await app.onBoards(cluster, 'PATCH', '/flats', { props: { where: ofBoard } }, cluster.admin);
      expect([ofCluster, ofBoard, titles(await near(app, cluster, BERLIN))]).toEqual([ofCluster, ofBoard, found]);
    }
  });

  it('are found across the antimeridian and at the poles', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const at = (lat: number, lon: number) => ({ lat, lon, label: 'There' });
    await put(app, cluster, await app.aBoard(cluster), {
      fiji: at(-17.7, 178.1),
      samoa: at(-13.8, -172.1),
      line: at(0, 180),
      north: at(90, 12),
      arctic: at(89.8, -150),
      south: at(-90, 0),
    });
    expect(titles(await near(app, cluster, at(-16, -179.9), '1200'))).toEqual(['samoa', 'fiji']);
    expect(titles(await near(app, cluster, at(0, -180), '1'))).toEqual(['line']);
    expect(titles(await near(app, cluster, at(0, -179.9), '20'))).toEqual(['line']);
    expect(titles(await near(app, cluster, at(89.9, 30), '100'))).toEqual(['arctic', 'north']);
    expect(titles(await near(app, cluster, at(-90, -77), '1'))).toEqual(['south']);
  });

  it('exclude expired posts, other boards and other languages, page by page', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const board = await app.aBoard(cluster, { props: { lang: 'en', where: BERLIN } });
    const other = await app.aBoard(cluster, { slug: 'other' });
    await app.aPost(cluster, other, { title: 'elsewhere', props: { where: BERLIN } });
    await app.aPost(cluster, board, { title: 'short', ttl: '24h' });
    for (const [title, lang] of [['1'], ['2', 'de'], ['3', 'en-GB'], ['4']] as const) {
      await app.aPost(cluster, board, {
        title,
        props: { ...(title !== '4' && { where: POTSDAM }), ...(lang && { lang }) },
      });
    }
    app.clock.step(86_400_000);
    const page = async (cursor: string) =>
      (await app.onBoards(cluster, 'GET', `/flats/posts?near=52.52,13.405&lang=en&limit=2${cursor}`)).body as PostList;
    const first = await page('');
    const second = await page(`&cursor=${first.next_cursor}`);
    expect([titles(first.posts), titles(second.posts), second.next_cursor]).toEqual([['4', '3'], ['1'], null]);
    expect([first.count, second.count]).toEqual([3, 3]);
  });

  it('equal those found by measuring the distance to every post', async () => {
    const app = await boardsApp();
    const cluster = await app.aCluster();
    const visit = { cluster: cluster.id, credential: undefined, isAdult: false };
    await app.aBoard(cluster, { props: { where: { lat: 10, lon: -179.95, label: 'Home' } } });
    const lat = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, -89.9, 0, 10, 89.9, 90));
    const lon = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, -179.9, 0, 179.9, 180));
    const place = fc.record({ lat, lon });
    const posts: { id: string; point: Point }[] = [];
    for (const point of fc.sample(fc.option(place, { freq: 9 }), { numRuns: 400, seed: 7 })) {
      const props = point && { where: { ...point, label: 'There' } };
      const { id } = await app.surface.posts.pin(visit, 'flats', 'ada', { title: 'x', props });
      posts.unshift({ id, point: point ?? { lat: 10, lon: -179.95 } });
    }
    const degrees = (value: number) => value.toFixed(6);
    fc.assert(
      fc.property(place, fc.constantFrom(1, 50, 300, 2000, 9000, 20_000), (wanted, km) => {
        const centre = { lat: Number(degrees(wanted.lat)), lon: Number(degrees(wanted.lon)) };
        const expected = posts.filter(({ point }) => distanceKm(centre, point) <= km).map(({ id }) => id);
        const found: string[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const query = {
            near: `${degrees(centre.lat)},${degrees(centre.lon)}`,
            km,
            limit: 200,
            ...(cursor !== '' && { cursor }),
          };
          const page: PostList = app.surface.posts.list(visit, 'flats', query);
          found.push(...page.posts.map(({ id }) => id));
          cursor = page.next_cursor;
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
