// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Board } from '../../../daemon/contract/boards.js';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { BoardsTab } from './boards-tab.js';

removeAfterEach();

const CLUSTER = { id: 'c1', boards_enabled: true } as Cluster;
const board = (slug: string, kind: Board['kind']) =>
  ({ id: slug, slug, name: slug, kind, about: '', posts: 1, props: {} }) as unknown as Board;

async function drawTab(admin_token: string | null, kind?: string) {
  const calls = stubDaemon(({ method }) =>
    method === 'GET'
      ? { body: { boards: [board('quay', 'events'), board('flats', 'generic')], cluster_props: {} } }
      : undefined,
  );
  const room = { cluster_id: 'c1', slug: null, token: 'ck', admin_token, handle: 'operator' } as SavedClusterDetail;
  const page = await drawPart(<BoardsTab room={room} cluster={CLUSTER} kind={kind} onKind={() => undefined} />);
  return { page, calls };
}

it('lists the boards of the chosen kind alone', async () => {
  expect((await drawTab(null)).page.words()).toMatch(/#quay.*#flats/);
  const { page } = await drawTab(null, 'events');
  expect(page.words()).toContain('#quay');
  expect(page.words()).not.toContain('#flats');
});

it('lets only an admin change a board', async () => {
  expect((await drawTab(null)).page.buttons()).toEqual([]);
  expect((await drawTab('ak')).page.buttons()).toContain('Edit quay');
});

it('turns boards off, and on again from the toast', async () => {
  const { page, calls } = await drawTab('ak');
  await page.press('Turn boards off');
  await page.press('Turn on again');
  expect(calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
    { boards_enabled: false },
    { boards_enabled: true },
  ]);
});
