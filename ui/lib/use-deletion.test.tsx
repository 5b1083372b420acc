// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { drawPart, removeAfterEach, soon } from '../testing/drawn.js';
import { UNDO_MS, useDeletion } from './deletions.js';

removeAfterEach();
afterEach(() => {
  vi.useRealTimers();
});

it('says why nothing was deleted', async () => {
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  const refuse = () => Promise.reject(new Error('No majority of the servers confirmed the change.'));
  function Row() {
    const remove = useDeletion('post', refuse);
    return (
      <button type="button" onClick={() => remove('p_1', 'A lamp', 'p_1')}>
        Delete
      </button>
    );
  }
  const page = await drawPart(<Row />);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await page.press('Delete');
  await soon(() => vi.advanceTimersByTime(UNDO_MS - 1));
  expect(page.words()).toBe('Delete');
  await soon(() => vi.advanceTimersByTime(1));
  expect(page.words()).toContain('“A lamp” was not deleted. No majority of the servers confirmed the change.');
});
