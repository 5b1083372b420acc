import { expect, it, vi } from 'vitest';
import { drawPart, inStandInBrowser } from '../../../testing/drawn.js';

inStandInBrowser();

it.each([
  [[], ['porter', 'usher']],
  [['porter'], ['porter', 'usher']],
  [['porter', 'usher'], []],
])('selects all of the shown members, or none when all are: %j', async (selected, next) => {
  // Its style sheet is applied as it is loaded.
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      replaceSync() {}
    },
  );
  Object.assign(document, { adoptedStyleSheets: [] });
  const { RosterList } = await import('./roster-list.js');
  vi.stubGlobal('innerHeight', 800);
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
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
  await page.tick('Select all 2 shown', true);
  expect(chosen).toEqual([next]);
});
