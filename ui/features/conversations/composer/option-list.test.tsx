// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { OptionList } from './option-list.js';

removeAfterEach();

it('keeps the focus in the text while an option is pressed, and takes it', async () => {
  stubDaemon();
  const taken: number[] = [];
  const options = ['src/dusk.ts', 'src/dawn.ts'].map((key) => ({ key, shown: key }));
  const page = await drawPart(
    <OptionList
      {...{ id: 'files', label: 'Files', options, chosen: 0, status: '2 files', point: () => undefined }}
      take={(at) => taken.push(at)}
    />,
  );
  const option = page.place.querySelector('#files-1') as Element;
  expect((await page.send(option, 'mousedown')).defaultPrevented).toBe(true);
  await page.send(option, 'click');
  expect(taken).toEqual([1]);
});
