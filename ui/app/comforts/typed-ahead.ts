import { isComposing } from '../../lib/keys/is-composing.js';

/** What was typed before the palette was there. */
interface TypedAhead {
  text: string;
  isEntered: boolean;
}

/** A palette that has not come by then leaves the keys to the page. */
const WAIT_MS = 5_000;

let typed: TypedAhead = { text: '', isEntered: false };
let openedAt = Number.NEGATIVE_INFINITY;

/** Keeps keys for the palette while it is being loaded. On the page they could answer or undo something. */
export function beginTypingAhead({ timeStamp }: KeyboardEvent): void {
  endTypingAhead();
  openedAt = timeStamp;
  document.addEventListener('keydown', keepForPalette, { capture: true });
}

/** Must be called once the palette is shown and has taken what was typed. */
export function endTypingAhead(): void {
  typed = { text: '', isEntered: false };
  openedAt = Number.NEGATIVE_INFINITY;
  document.removeEventListener('keydown', keepForPalette, { capture: true });
}

/** Returns what was typed since the palette was asked for. */
export const getTypedAhead = (): TypedAhead => typed;

/** Keeps a key for the palette and returns whether it did. */
export function keepForPalette(event: KeyboardEvent): boolean {
  const { key } = event;
  if (openedAt === Number.NEGATIVE_INFINITY || event.ctrlKey || event.metaKey || isComposing(event)) return false;
  if (event.timeStamp - openedAt > WAIT_MS || key === 'Escape' || key === 'Tab') {
    endTypingAhead();
    return false;
  }
  if (key === 'Enter') typed = { ...typed, isEntered: true };
  else if (key === 'Backspace') typed = { ...typed, text: typed.text.slice(0, -1) };
  else if ([...key].length === 1) typed = { ...typed, text: typed.text + key };
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
