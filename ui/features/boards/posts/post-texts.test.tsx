// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Board, Post } from '../../../../daemon/contract/boards.js';
import { drawPart, removeAfterEach, soon, stubDaemon } from '../../../testing/drawn.js';
import type { BoardVisit } from '../board-visit.js';
import { postQuery } from '../boards-queries.js';
import { RulesFields } from '../rules/rules-fields.js';
import { getExcerpt } from './post-row.js';
import { PostView } from './post-view.js';

removeAfterEach();

const VISIT = {
  cluster: { id: 'c1', name: 'Pier', slug: 'pier' },
  handle: 'operator',
  token: 'ck',
  adminToken: undefined,
} as BoardVisit;
const POST = { id: 'p_1', title: 'Lamp', body: '', author: 'ada', created_at: 1, expires_at: null } as unknown as Post;

it('shows the first 200 characters of a body, without its marks', () => {
  expect(getExcerpt('z'.repeat(300))).toBe(`${'z'.repeat(200)}…`);
  expect(getExcerpt('# Lamps\n\n**All** [of them](https://a.example)')).toBe('Lamps · All of them');
});

it('adds a mention to what was typed on the Wall, once', async () => {
  stubDaemon();
  const page = await drawPart(
    <PostView
      visit={VISIT}
      board={{ id: 'b1', slug: 'quay', name: 'Quay', props: {} } as Board}
      room={null}
      post={POST}
    />,
  );
  await soon(() => page.drafts.write('wall.c1', 'Look:'));
  await page.send(page.find('a', 'Mention on the Wall'), 'click', { button: 0 });
  expect(page.drafts.read('wall.c1')).toBe('Look: #p_1 ');
});

it.each(['post_deleted', 'post_expired'])('knows how a post ended: %s', async (event) => {
  stubDaemon(({ path }) =>
    path.includes('/history')
      ? { body: { events: [{ post: 'p_1', event, ts: 5, title: 'Lamp' }], next_cursor: null } }
      : { status: 404, body: { error: 'not_found', message: 'No.' } },
  );
  const page = await drawPart(<p />);
  expect(await page.client.fetchQuery(postQuery(VISIT, ['quay'], 'p_1', 0))).toEqual({
    gone: { event, at: 5, title: 'Lamp' },
  });
});

it.each([
  ['Least age of readers', { age: '21' }],
  ['Maximum post length', { mostChars: '21' }],
])('writes the %s into that rule alone', async (label, changed) => {
  const draft = { where: { kind: 'inherit' }, lang: '', mostChars: '', age: '', require: '' } as never;
  const changes: unknown[] = [];
  const page = await drawPart(
    <RulesFields draft={draft} problems={{}} onChange={(next) => changes.push(next)} room={null} />,
    { known: [[['gazetteer'], { find: () => undefined, search: () => [] }]] },
  );
  await page.type(label, '21');
  expect(changes).toEqual([{ ...(draft as object), ...changed }]);
});
