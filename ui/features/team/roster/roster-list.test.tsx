// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach } from '../../../testing/drawn.js';
import { RosterList } from './roster-list.js';

removeAfterEach();

it.each([
  [[], ['porter', 'usher']],
  [['porter'], ['porter', 'usher']],
  [['porter', 'usher'], []],
])('selects all of the shown members, or none when all are: %j', async (selected, next) => {
  const chosen: unknown[] = [];
  const entries = ['porter', 'usher'].map((id) => ({
    member: { id, name: id, description: '', model: '', client: 'auto', tags: [] } as never,
    file: '',
  }));
  const selection = { selected: new Set(selected), set: (ids: unknown) => chosen.push(ids), toggle: () => undefined };
  const page = await drawPart(
    <RosterList
      {...{ entries, sort: undefined, onSort: () => undefined, selection, hasOneModel: true, actions: null }}
    />,
  );
  await page.tick('Select all 2 shown');
  expect(chosen).toEqual([next]);
});
