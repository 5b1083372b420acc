import { CHORD_MS } from './chord.js';
import { toFilter } from './page-filter.js';

const pages: Record<string, string> = {
  d: '/',
  t: '/team',
  c: '/talk',
  m: '/roadmap',
  r: '/requests',
  o: '/rooms',
  p: '/map',
  f: '/find',
  l: '/ledger',
  s: '/system',
};

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  );
}

/** Moves focus among the rows of the page: `step` 1 is down, -1 up. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows[next]?.focus();
}

export interface Keys {
  hasSingleKeys: boolean;
  goTo: (page: string) => void;
  openPalette: () => void;
  openSheet: () => void;
}

const isOpenPalette = ({ metaKey, ctrlKey, shiftKey, altKey, key }: KeyboardEvent) =>
  (metaKey || ctrlKey) && !shiftKey && !altKey && key.toLowerCase() === 'k';

/**
 * What the keys of the whole dashboard do. Single keys do nothing while one types, while a dialog is open, with a modifier, with text selected, or when preferences switch
 * them off; ⌘K and Ctrl-K always work.
 */
export function keyHandler({ hasSingleKeys, goTo, openPalette, openSheet }: Keys): (event: KeyboardEvent) => void {
  let chordAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (isOpenPalette(event)) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.defaultPrevented || event.isComposing) return;
    if (!hasSingleKeys || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog:modal') || window.getSelection()?.isCollapsed === false) return;
    const isChord = event.timeStamp - chordAt < CHORD_MS;
    chordAt = Number.NEGATIVE_INFINITY;
    const page = isChord ? pages[event.key] : undefined;
    if (page) goTo(page);
    else if (event.key === 'g') chordAt = event.timeStamp;
    else if (event.key === '?') openSheet();
    else if (event.key === '/') toFilter();
    else if (event.key === 'n') document.querySelector<HTMLElement>('main [data-new]')?.click();
    else if (event.key === 'j') moveRow(1);
    else if (event.key === 'k') moveRow(-1);
    else return;
    event.preventDefault();
  };
}
