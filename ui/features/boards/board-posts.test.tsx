// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Board, Post } from '../../../daemon/contract/boards.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { BoardPosts } from './board-posts.js';
import type { BoardSearch } from './board-search.js';
import type { BoardVisit } from './board-visit.js';

removeAfterEach();

const VISIT = { cluster: { id: 'c1' }, handle: 'operator', token: 'ck', adminToken: undefined } as BoardVisit;
const BOARD = { id: 'b1', slug: 'quay', kind: 'events', posts: 1 } as Board;
const post = (id: string) =>
  ({
    ...{ id, title: `Post ${id}`, body: '', author: 'ada', created_at: 1, expires_at: 2e9, tags: [], props: {} },
    event: { starts_at: '2026-12-05T10:00:00Z' },
  }) as unknown as Post;

async function drawPosts(search: BoardSearch, pages: readonly { posts: Post[]; next_cursor: string | null }[]) {
  const changes: BoardSearch[] = [];
  const calls = stubDaemon(({ path }) => {
    if (!path.startsWith('/v1/')) return { status: 503, body: {} };
    return { body: pages[path.includes('cursor=') ? 1 : 0] };
  });
  const page = await drawPart(
    <BoardPosts
      visit={VISIT}
      board={BOARD}
      rules={{} as never}
      search={search}
      isAdult={false}
      onChange={(changed) => changes.push(changed)}
      onAdult={() => undefined}
      onYoung={() => undefined}
    />,
    {
      ...{ route: '/rooms/$id/b/$slug', at: '/rooms/c1/b/quay' },
      known: search.near === 'Lisbon, PT' ? [] : [[['gazetteer'], { find: () => undefined }]],
    },
  );
  return { page, changes, asked: calls.map(({ path }) => path).filter((path) => path.startsWith('/v1/')) };
}

const ONE = [{ posts: [post('p_1')], next_cursor: null }];

it('reads every page for the agenda', async () => {
  const { page } = await drawPosts({ show: 'agenda' }, [
    { posts: [post('p_1')], next_cursor: 'more' },
    { posts: [post('p_2')], next_cursor: null },
  ]);
  expect(page.words()).toContain('Post p_2');
});

it('clears every filter when no post matches', async () => {
  const { page, changes } = await drawPosts({ lang: 'pt' }, [{ posts: [], next_cursor: null }]);
  await page.press('Clear the filters');
  expect(changes).toStrictEqual([{ near: undefined, km: undefined, lang: undefined }]);
});

it('lists no posts near a place that is unknown', async () => {
  const { page, changes } = await drawPosts({ near: 'Nowhere' }, ONE);
  expect(page.words()).toContain('No place named “Nowhere”.');
  expect(page.words()).not.toContain('Post p_1');
  await page.press('Search everywhere');
  expect(changes).toStrictEqual([{ near: undefined, km: undefined }]);
});

it('lists no posts near a place while the places cannot be read', async () => {
  const { page, asked } = await drawPosts({ near: 'Lisbon, PT' }, ONE);
  expect(page.words()).toContain('The list of places could not be loaded');
  expect(page.words()).not.toContain('Post p_1');
  expect(asked).toEqual([]);
  expect(page.buttons()).toContain('Search everywhere');
});
