// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import type { WallStatus } from '../../../../daemon/client/wall-line.js';
import { drawPart, removeAfterEach } from '../../../testing/drawn.js';
import { MessageEntry } from './wall-entry.js';
import { listOfOthers, type MessageLine, type NoteLine } from './wall-log.js';
import { WallMedia } from './wall-media.js';
import { WallStatusNotice } from './wall-status-notice.js';

removeAfterEach();

const line = (changed: Partial<MessageLine>): MessageLine => ({
  ...{ kind: 'said', key: 1, at: 0, from: 'ada', isOwn: false, to: null, isBeingWritten: false },
  ...{ board: undefined, standing: undefined, said: { text: 'Hello', media: [], data: undefined } as never },
  ...changed,
});

it('marks a message under the own handle that was sent from elsewhere, and no own one', async () => {
  const drawLine = async (changed: Partial<MessageLine>) =>
    (
      await drawPart(<MessageEntry line={line(changed)} you="operator" places={{ room: 'c1', boards: new Set() }} />)
    ).words();
  const MARK = 'your handle, from elsewhere';
  expect(await drawLine({ from: 'operator' })).toContain(MARK);
  expect(await drawLine({ from: 'operator', isOwn: true })).not.toContain(MARK);
  expect(await drawLine({})).not.toContain(MARK);
});

it('reads out what others say alone', () => {
  const note = { kind: 'note', key: 3, at: 0, note: { what: 'error', detail: '' } } as NoteLine;
  expect(listOfOthers([line({ isOwn: true }), line({ key: 2 }), note]).map(({ key }) => key)).toEqual([2]);
});

it('saves a file that came over the Wall without the type that it claims', async () => {
  const blobs: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob);
    return 'blob:1';
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined);
  const page = await drawPart(<WallMedia media={[{ mime: 'text/html', b64: btoa('<p>') } as never]} from="ada" />);
  await page.press('Save file');
  expect(blobs.map(({ type }) => type)).toEqual(['application/octet-stream']);
  vi.restoreAllMocks();
});

it.each([
  ['revoked', true],
  ['refused', true],
  ['deleted', false],
])('offers another token when it ended because it was %s: %s', async (why, offers) => {
  const status = { state: 'over', at: 0, ending: { why, reason: '' } } as unknown as WallStatus;
  const page = await drawPart(
    <WallStatusNotice status={status} room="c1" onAgain={() => undefined} onNow={() => undefined} />,
  );
  expect(page.words().includes('Paste another token')).toBe(offers);
});
