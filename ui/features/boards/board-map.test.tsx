// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach } from '../../testing/drawn.js';
import BoardMap from './board-map.js';

removeAfterEach();

it('puts the whole world into the address, for without a view the map fits the posts', async () => {
  const shown: string[] = [];
  const page = await drawPart(
    <BoardMap
      {...{ posts: [], rules: {} as never, at: '4_500_250', postLink: () => null, closerLink: () => null }}
      onAt={(at) => shown.push(at)}
    />,
    { known: [[['world', 'far'], { land: '', names: [] }]] },
  );
  await page.press('Whole world');
  expect(shown).toEqual(['world']);
});
