import { isComposing } from './is-composing.js';

/** Whether a key is Esc. While text is composed, Esc is for the input method: it discards the composition alone. */
export const isEscape = (event: Pick<KeyboardEvent, 'key' | 'isComposing' | 'keyCode'>): boolean =>
  event.key === 'Escape' && !isComposing(event);
