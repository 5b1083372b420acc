// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Checkpoint } from '../../../daemon/contract/work/changes.js';
import type { MergePreview, Review } from '../../../daemon/contract/work/reviews.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { MergeForm } from './merge/merge-form.js';
import { RangePicker } from './range-picker.js';
import { ReviewBar } from './review/review-bar.js';
import { RewindDialog } from './rewind-dialog.js';

removeAfterEach();

const CHECKPOINTS = [
  { checkpoint: 'start', kind: 'start', files: 0, created_at: '2026-11-01T10:00:00Z' },
  { checkpoint: 'cp-1', kind: 'turn', files: 2, created_at: '2026-11-01T10:05:00Z' },
] as unknown as Checkpoint[];

it('rewinds nothing while a turn runs, and forks', async () => {
  const calls = stubDaemon(({ method }) =>
    method === 'GET' ? { body: { files: [], count: 0, problem: null } } : { body: { conv: 'conv-2' } },
  );
  const page = await drawPart(
    <RewindDialog
      conv="conv-1"
      checkpoint={CHECKPOINTS[1] as Checkpoint}
      checkpoints={CHECKPOINTS}
      problem="A turn is running."
      onClose={() => undefined}
    />,
  );
  expect(page.button(/^Rewind/).getAttribute('aria-disabled')).toBe('true');
  expect(page.buttons()).toContain('Rewind. A turn is running.');
  await page.tick(/^Fork/);
  expect(page.button('Fork').getAttribute('aria-disabled')).toBeNull();
  await page.submit();
  expect(calls.filter(({ method }) => method === 'POST')).toMatchObject([
    { path: '/conversations/conv-1/fork', body: { checkpoint: 'cp-1' } },
  ]);
});

it.each([
  ['Merge commit', { method: 'merge', message: 'Light the quay' }],
  ['Squash', { method: 'squash', message: 'Light the quay' }],
])('sends the message of a %s', async (label, sent) => {
  const calls = stubDaemon();
  const preview = { into: 'main', head: 'abc', methods: ['fast_forward', 'merge', 'squash', 'rebase'] };
  const page = await drawPart(
    <MergeForm conv="conv-1" preview={preview as unknown as MergePreview} onMerged={() => undefined} />,
  );
  expect(page.words()).not.toContain('Commit message');
  await page.tick(new RegExp(`^${label}`));
  await page.type('Commit message', ' Light the quay ');
  await page.submit();
  expect(calls).toMatchObject([{ method: 'POST', body: { into: 'main', head: 'abc', ...sent } }]);
});

it('compares from one state to another', async () => {
  const changes: unknown[] = [];
  const page = await drawPart(
    <RangePicker
      checkpoints={CHECKPOINTS}
      range={{ from: 'cp-1', to: 'working' }}
      onChange={(range) => changes.push(range)}
    />,
  );
  await page.type('From', 'start');
  await page.type('To', 'cp-1');
  expect(changes).toEqual([
    { from: 'start', to: 'working' },
    { from: 'cp-1', to: 'cp-1' },
  ]);
});

it('sends an introduction with the drafts, and forgets it', async () => {
  const calls = stubDaemon();
  const page = await drawPart(
    <ReviewBar review={{ conv: 'conv-1', drafts: 2 } as Review} name="Developer" problem={undefined} />,
  );
  await page.press('Add an introduction');
  await page.type('Introduction', 'Please:');
  await page.submit();
  expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({ text: 'Please:' });
  expect(page.drafts.read('changes:conv-1:introduction')).toBeUndefined();
});
