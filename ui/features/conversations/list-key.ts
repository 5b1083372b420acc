import type { KeyboardEvent } from 'react';

/** What a key does to a list that belongs to a text; undefined for a key that is the text's own, as all are while a word is composed. */
export function listKey({
  key,
  shiftKey,
  metaKey,
  ctrlKey,
  altKey,
  nativeEvent,
}: KeyboardEvent): 'next' | 'previous' | 'take' | 'complete' | 'close' | undefined {
  if (nativeEvent.isComposing || shiftKey || metaKey || ctrlKey || altKey) return undefined;
  if (key === 'ArrowDown') return 'next';
  if (key === 'ArrowUp') return 'previous';
  if (key === 'Enter') return 'take';
  if (key === 'Tab') return 'complete';
  return key === 'Escape' ? 'close' : undefined;
}
