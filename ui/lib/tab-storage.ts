/** Stands in the storage of a tab as long as nobody has cleared it. */
const MARK = 'meshd.tab';

export interface TabStorage extends Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  /** All that is stored. */
  kept: Map<string, string>;
}

/**
 * The tab's own storage, which outlasts its being cleared: the daemon has the browser clear it with whatever else an earlier program at this address
 * left, once in each of its runs. What is stored is kept in memory as well, and with the page's place in the history once the page goes.
 */
export function tabStorage(storage: Storage, { state }: Pick<History, 'state'>): TabStorage {
  const stored: Record<string, string> = { ...storage };
  const kept = new Map(
    Object.entries(stored[MARK] ? stored : ((state as { kept?: typeof stored } | null)?.kept ?? {})),
  );
  const tab: TabStorage = {
    kept,
    getItem: (name) => kept.get(name) ?? null,
    setItem(name, value) {
      kept.set(name, value);
      storage.setItem(name, value);
    },
    removeItem(name) {
      kept.delete(name);
      storage.removeItem(name);
    },
  };
  try {
    tab.setItem(MARK, '1');
    for (const [name, value] of kept) storage.setItem(name, value);
  } catch {
    // A full or forbidden storage costs what is in it at the next reload, never the page.
  }
  return tab;
}
