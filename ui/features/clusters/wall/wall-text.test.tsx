// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { TextBeingWritten, WallText } from './wall-text.js';

removeAfterEach();

it('says of a long text how many characters it has', async () => {
  stubDaemon();
  const places = { room: 'c', boards: new Set<string>() };
  const page = await drawPart(<WallText text={'灯'.repeat(5_000)} places={places} board={undefined} />);
  expect(page.buttons()).toEqual(['Show all (5,000 characters)']);
});

it('shows the end of a long text while it is being written', async () => {
  stubDaemon();
  const page = await drawPart(<TextBeingWritten text={`${'a'.repeat(5_000)}the end`} />);
  expect(page.words()).toMatch(/^…a+the end$/);
});
