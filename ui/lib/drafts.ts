import { useCallback, useEffect, useRef, useState } from 'react';

const SAVE_AFTER_MS = 300;
const PREFIX = 'meshd.draft.';

/**
 * State of a form that survives Esc, a wrong link and a reload: kept per place in the tab's own storage, 300 ms after the
 * last key. Never give it a token. `initial` is what stands there when nothing was typed.
 */
export function useDraft<T>(place: string, initial: T): { value: T; isDirty: boolean; set: (value: T) => void; clear: () => void } {
  const [kept, setKept] = useState<{ place: string; value: T | undefined }>(() => ({ place, value: read<T>(place) }));
  if (kept.place !== place) setKept({ place, value: read<T>(place) });
  const current = kept.place === place ? kept.value : undefined;

  const pending = useRef<{ place: string; value: T } | undefined>(undefined);
  useEffect(() => {
    if (current === undefined) return;
    pending.current = { place, value: current };
    const timer = setTimeout(() => flush(pending), SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [place, current]);
  useEffect(() => {
    const leave = () => flush(pending);
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);

  const set = useCallback((value: T) => setKept({ place, value }), [place]);
  const clear = useCallback(() => {
    pending.current = undefined;
    sessionStorage.removeItem(PREFIX + place);
    setKept({ place, value: undefined });
  }, [place]);
  return { value: current ?? initial, isDirty: current !== undefined, set, clear };
}

function flush<T>(pending: { current: { place: string; value: T } | undefined }): void {
  if (!pending.current) return;
  try {
    sessionStorage.setItem(PREFIX + pending.current.place, JSON.stringify(pending.current.value));
  } catch {
    // A full or forbidden storage costs the draft, never the page.
  }
  pending.current = undefined;
}

function read<T>(place: string): T | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + place);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
