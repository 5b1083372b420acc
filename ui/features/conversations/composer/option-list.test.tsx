import { expect, it } from 'vitest';
import { drawPart, inStandInBrowser, stubDaemon } from '../../../testing/drawn.js';
import { OptionList } from './option-list.js';

inStandInBrowser();

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
  const option = page.place.listAll().find((node) => node.getAttribute('id') === 'files-1');
  let prevented = false;
  await page.send(option as never, 'mousedown', { preventDefault: () => (prevented = true) });
  expect(prevented).toBe(true);
  await page.send(option as never, 'click');
  expect(taken).toEqual([1]);
});
