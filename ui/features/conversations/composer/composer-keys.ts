import { isComposing } from '../../../lib/keys/is-composing.js';

type KeyPress = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'metaKey' | 'ctrlKey' | 'altKey' | 'isComposing' | 'keyCode'>;

/**
 * Reports whether a key sends: ⌘ or Ctrl with Enter always, Enter alone with `enterSends`, never during IME
 * composition.
 */
export function sendsOn(event: KeyPress, enterSends: boolean): boolean {
  if (event.key !== 'Enter' || isComposing(event) || event.shiftKey || event.altKey) return false;
  return event.metaKey || event.ctrlKey || enterSends;
}
