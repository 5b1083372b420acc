import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect } from 'react';
import { preferencesQuery } from '../../system/system-queries.js';

/** A file whose first or last hunk takes the focus once the file is loaded. */
export interface FocusRequest {
  path: string;
  edge: 'first' | 'last';
}

const HUNKS = '[data-hunk], [data-waiting]';
const FILES = '[data-file-head]';

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'));

/** Returns the stop after (`step` 1) or before (−1) the focused element; without one, after the top of the view. */
function findStop(root: HTMLElement, selector: string, step: 1 | -1): HTMLElement | undefined {
  const stops = [...root.querySelectorAll<HTMLElement>(selector)];
  const focused = document.activeElement;
  if (focused && root.contains(focused)) {
    const bit = step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const isBeyond = (stop: HTMLElement) =>
      stop !== focused && !stop.contains(focused) && (focused.compareDocumentPosition(stop) & bit) !== 0;
    return step === 1 ? stops.find(isBeyond) : stops.findLast(isBeyond);
  }
  const isBelow = (stop: HTMLElement) => stop.getBoundingClientRect().top >= 0;
  return step === 1 ? stops.find(isBelow) : stops.findLast((stop) => !isBelow(stop));
}

function focusStop(stop: HTMLElement): void {
  stop.focus({ preventScroll: true });
  stop.scrollIntoView({ block: 'start' });
}

function moveHunk(root: HTMLElement, step: 1 | -1, wish: RefObject<FocusRequest | undefined>): void {
  const stop = findStop(root, HUNKS, step);
  const path = stop?.dataset['waiting'];
  if (stop && path !== undefined) {
    wish.current = { path, edge: step === 1 ? 'first' : 'last' };
    stop.scrollIntoView({ block: 'start' });
  } else if (stop) focusStop(stop);
}

function moveFile(root: HTMLElement, step: 1 | -1): void {
  const stop = findStop(root, FILES, step);
  if (stop) focusStop(stop);
}

function toggleViewed(root: HTMLElement): void {
  const focused = document.activeElement;
  const file =
    focused && root.contains(focused)
      ? focused.closest<HTMLElement>('[data-file]')
      : [...root.querySelectorAll<HTMLElement>('[data-file]')].find((one) => one.getBoundingClientRect().bottom > 0);
  file?.querySelector<HTMLElement>('[data-viewed] input')?.click();
}

/**
 * Installs the keys of a diff: j and k between hunks, n or ] and p or [ between files, v marks a file as viewed. They
 * follow the preference for single-key shortcuts and go before the shortcuts of the dashboard.
 */
export function useDiffKeys(place: RefObject<HTMLElement | null>, wish: RefObject<FocusRequest | undefined>): void {
  const hasSingleKeys = useQuery(preferencesQuery()).data?.single_key_shortcuts ?? true;
  useEffect(() => {
    if (!hasSingleKeys) return;
    let chordAt = Number.NEGATIVE_INFINITY;
    const pressed = (event: KeyboardEvent) => {
      const root = place.current;
      if (!root || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog:modal') || window.getSelection()?.isCollapsed === false) return;
      // The key after `g` opens a page.
      const isChord = event.timeStamp - chordAt < CHORD_MS;
      chordAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (isChord) return;
      const act = ACTS[event.key];
      if (!act) return;
      event.preventDefault();
      act(root, wish);
    };
    document.addEventListener('keydown', pressed, { capture: true });
    return () => document.removeEventListener('keydown', pressed, { capture: true });
  }, [hasSingleKeys, place, wish]);
}

/** As in the dashboard's shortcuts, in milliseconds. */
const CHORD_MS = 1_200;

const ACTS: Readonly<Record<string, (root: HTMLElement, wish: RefObject<FocusRequest | undefined>) => void>> = {
  j: (root, wish) => moveHunk(root, 1, wish),
  k: (root, wish) => moveHunk(root, -1, wish),
  n: (root) => moveFile(root, 1),
  ']': (root) => moveFile(root, 1),
  p: (root) => moveFile(root, -1),
  '[': (root) => moveFile(root, -1),
  v: toggleViewed,
};
