import type { KeyboardEvent } from 'react';
import { isComposing } from '../../../lib/keys/is-composing.js';
import type { OptionListProps } from '../composer/option-list.js';

interface ListHandlers {
  close: () => void;
  /** What Tab does with the chosen option. Without it, Tab takes the option. */
  complete?: () => void;
}

/**
 * Handles a key pressed in a text field for its option list. Returns false for a key that belongs to the text, which is
 * every key during IME composition.
 */
export function worksList(
  event: KeyboardEvent,
  { options, chosen, take, point }: OptionListProps,
  { close, complete }: ListHandlers,
): boolean {
  const { key, shiftKey, metaKey, ctrlKey, altKey, nativeEvent } = event;
  if (options.length === 0 || isComposing(nativeEvent) || shiftKey || metaKey || ctrlKey || altKey) return false;
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
