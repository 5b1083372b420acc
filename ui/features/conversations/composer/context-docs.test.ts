import { expect, it } from 'vitest';
import { readDoc } from './context-docs.js';

const unreadable = () => Promise.reject(new DOMException('The file changed.', 'NotReadableError'));

it('a file that is too long is not read, and one that cannot be read is named', async () => {
  expect(await readDoc({ name: 'day.log', size: 1e9, text: unreadable })).toBe(
    'day.log is longer than 65536 characters.',
  );
  expect(await readDoc({ name: 'gone.md', size: 9, text: unreadable })).toBe('gone.md could not be read.');
  expect(await readDoc({ name: 'a.md', size: 9, text: async () => '# Lamp' })).toEqual({
    filename: 'a.md',
    content: '# Lamp',
  });
});
