import type { KeyboardEvent } from 'react';
import type { OptionListProps } from './option-list.js';

interface Doings {
  close: () => void;
  /** What Tab does with the chosen one; without it, it is taken. */
  complete?: () => void;
}

/** Has a key that is pressed in a text work the list that belongs to it; false for a key that is the text's own, as all are while a word is composed. */
export function worksList(
  event: KeyboardEvent,
  { options, chosen, take, point }: OptionListProps,
  { close, complete }: Doings,
): boolean {
  const { key, shiftKey, metaKey, ctrlKey, altKey, nativeEvent } = event;
  if (options.length === 0 || nativeEvent.isComposing || shiftKey || metaKey || ctrlKey || altKey) return false;
  if (key === 'ArrowDown') point((chosen + 1) % options.length);
  else if (key === 'ArrowUp') point((chosen - 1 + options.length) % options.length);
  else if (key === 'Escape') close();
  else if (key === 'Tab' && complete) complete();
  else if (key === 'Enter' || key === 'Tab') take(chosen);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
