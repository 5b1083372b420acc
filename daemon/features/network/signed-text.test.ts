import { expect, it } from 'vitest';
import { toSignedText } from './signed-text.js';

it('is signed together with its purpose and its scope', () => {
  expect(toSignedText('request', 'docks', 'text')).toBe('meshd request\ndocks\ntext');
});
