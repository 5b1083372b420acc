import { isComposing } from '../../lib/keys/is-composing.js';
import { ALL_PLACES, CHORD_MS, type Place } from '../places.js';
import { toFilter } from './page-filter.js';
import { answerNewest } from './question-keys.js';
import { beginTypingAhead, keepForPalette } from './typed-ahead.js';

export interface ShortcutActions {
  hasSingleKeys: boolean;
  openPlace: (place: Place) => void;
  openPalette: () => void;
  openSheet: () => void;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  );
}

/** The key K. Layouts without Latin letters have it where an English keyboard does. */
const isK = ({ key, code }: KeyboardEvent) => /^k$/i.test(key) || (code === 'KeyK' && !/^[a-z]$/i.test(key));

/** Moves the focus among the rows of the page: `step` 1 is down, -1 is up. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows[next]?.focus();
}

/** Presses the button of the newest toast, which leaves by itself before many presses of Tab reach it. */
const pressNewestToast = () => [...document.querySelectorAll<HTMLElement>('[aria-keyshortcuts=u]')].at(-1)?.click();

/** Installs the keyboard shortcuts and handles `early` events. Returns a function that removes the shortcuts. */
export function listenForShortcuts(
  { hasSingleKeys, openPlace, openPalette, openSheet }: ShortcutActions,
  early: readonly KeyboardEvent[],
): () => void {
  let chordAt = Number.NEGATIVE_INFINITY;
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event) || keepForPalette(event)) return;
    if ((event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey && isK(event)) {
      event.preventDefault();
      if (!document.querySelector('dialog:modal')) beginTypingAhead(event);
      openPalette();
      return;
    }
    if (!hasSingleKeys || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog:modal') || window.getSelection()?.isCollapsed === false) return;
    const isChord = event.timeStamp - chordAt < CHORD_MS;
    chordAt = Number.NEGATIVE_INFINITY;
    const page = isChord && ALL_PLACES.find(({ key }) => key === event.key);
    if (page) openPlace(page);
    else if (event.key === 'g') chordAt = event.timeStamp;
    else if (event.key === '?') openSheet();
    else if (event.key === '/') toFilter();
    else if (event.key === 'n') document.querySelector<HTMLElement>('main [data-new]')?.click();
    else if (event.key === 'u') pressNewestToast();
    else if (event.key === 'j') moveRow(1);
    else if (event.key === 'k') moveRow(-1);
    else if (event.repeat || !answerNewest(event.key)) return;
    event.preventDefault();
  };
  early.forEach(pressed);
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}
