// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { drawPart, removeAfterEach, soon, stubDaemon } from '../../../testing/drawn.js';
import { WallLogView } from './wall-log-view.js';
import type { WallSession, WallView } from './wall-session.js';

removeAfterEach();
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['saved, only once the end of the log is seen', true, ['/rooms/c1/read']],
  ['not saved, never', false, []],
])('counts messages of a cluster as read that is %s', async (_, isSaved, read) => {
  const calls = stubDaemon();
  let view = { blocks: [], receivedCount: 0, newest: 0, isTrimmed: false } as unknown as WallView;
  let told = () => {};
  const session = {
    read: () => view,
    watch: (notify: () => void) => {
      told = notify;
      return () => undefined;
    },
  } as unknown as WallSession;
  const room = { cluster_id: 'c1', handle: 'operator', unread: 0, held: true } as SavedClusterDetail;
  const page = await drawPart(
    <WallLogView
      session={session}
      room={room}
      isSaved={isSaved}
      places={{ room: 'c1', boards: new Set() }}
      ref={null}
    />,
  );
  const log = page.place.querySelector('[role=log]');
  if (!log) throw new Error('There is no log.');
  const scroll = (scrollTop: number) => {
    Object.defineProperties(log, {
      scrollHeight: { value: 900, configurable: true },
      clientHeight: { value: 100, configurable: true },
    });
    log.scrollTop = scrollTop;
    return page.send(log, 'scroll');
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await scroll(800);
  await scroll(100);
  await soon(() => {
    view = { ...view, receivedCount: 1, newest: 1 };
    told();
  });
  await soon(() => vi.advanceTimersByTime(1_000));
  expect(calls).toEqual([]);
  await page.press(/↓$/);
  await soon(() => vi.advanceTimersByTime(1_000));
  expect(calls.map(({ path }) => path)).toEqual(read);
});
