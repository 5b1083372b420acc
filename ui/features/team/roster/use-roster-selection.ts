import { useCallback, useMemo, useRef, useState } from 'react';

/** The members that an action is applied to. */
export interface RosterSelection {
  selected: ReadonlySet<string>;
  set: (ids: readonly string[]) => void;
  /** Selects or deselects a member; with `isRange` all from the last one on. */
  toggle: (id: string, isRange: boolean) => void;
}

/** Returns the ids between `from` and `to`, both included, in either direction; `to` alone when `from` is not shown. */
export function findRange(ids: readonly string[], from: string | undefined, to: string): readonly string[] {
  const [a, b] = [ids.indexOf(from ?? to), ids.indexOf(to)];
  return a === -1 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Returns the selection among the shown ids. What is filtered out is not selected: nothing unseen is changed. */
export function useRosterSelection(shown: readonly string[]): RosterSelection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const ids = useRef(shown);
  ids.current = shown;
  const key = shown.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says whether the ids are others.
  const selected = useMemo(() => new Set(shown.filter((id) => chosen.has(id))), [key, chosen]);
  const set = useCallback((next: readonly string[]) => setChosen(new Set(next)), []);
  const toggle = useCallback((id: string, isRange: boolean) => {
    const range = isRange ? findRange(ids.current, last.current, id) : [id];
    last.current = id;
    setChosen((was) => {
      const next = new Set(was);
      const isOn = !was.has(id);
      for (const one of range) {
        if (isOn) next.add(one);
        else next.delete(one);
      }
      return next;
    });
  }, []);
  return { selected, set, toggle };
}
