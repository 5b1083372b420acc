// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Cluster } from '../../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { drawPart, removeAfterEach, soon, stubDaemon } from '../../../testing/drawn.js';
import type { WallSession, WallView } from './wall-session.js';
import { WallTab } from './wall-tab.js';

removeAfterEach();

const VIEW = {
  ...{ status: { state: 'in' }, people: ['operator'], blocks: [], receivedCount: 0, newest: -1 },
  ...{ own: undefined, isTrimmed: false },
} as unknown as WallView;
const ROOM = { cluster_id: 'c1', name: 'Quay', handle: 'operator', vis: 'public', token: 'ck' } as SavedClusterDetail;

async function drawWall(text: string) {
  stubDaemon(({ path }) => (path.includes('/boards') ? { body: { boards: [] } } : { status: 503, body: {} }));
  const said: string[] = [];
  const session = {
    ...{ watch: () => () => undefined, read: () => VIEW, lastSentText: undefined },
    say: (words: string) => said.push(words) > 0,
  } as unknown as WallSession;
  const board = { id: 'b1', slug: 'quay', name: 'Quay' };
  const page = await drawPart(
    <WallTab
      {...{ room: ROOM, cluster: { id: 'c1', boards_enabled: true } as Cluster, session, isSaved: true }}
      {...{ isPeopleShown: false, onPeople: () => undefined }}
    />,
    {
      known: [
        [['preferences'], { enter_sends: true, announcements: false }],
        [['boards', 'c1', 'member', 'list'], { boards: [board] }],
      ],
    },
  );
  await soon(() => page.drafts.write('wall.c1', text));
  return { page, said };
}

it('takes a text from the Wall that was moved into a post', async () => {
  const { page } = await drawWall('z'.repeat(2_000));
  await page.press('Send as board post');
  expect(page.drafts.read('post.c1.b1')).toMatchObject({ body: 'z'.repeat(2_000) });
  expect(page.drafts.read('wall.c1')).toBeUndefined();
});

it('goes to the end of the log with a message that was sent', async () => {
  const { page, said } = await drawWall('Hello');
  const log = page.place.querySelector('[role=log]');
  Object.defineProperties(log, { scrollHeight: { value: 900 }, clientHeight: { value: 100 } });
  await page.submit();
  expect(said).toEqual(['Hello']);
  expect(log?.scrollTop).toBe(900);
});
