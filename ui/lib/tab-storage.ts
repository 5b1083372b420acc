/** Stands in the storage of a tab as long as nobody has cleared it. */
export const UNCLEARED = 'meshd.tab';

export interface TabStorage extends Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  /** All that is stored. */
  kept: Map<string, string>;
}

/**
 * The tab's own storage, which outlasts its being cleared: the daemon has the browser clear it with whatever else an
 * earlier program at this address
 * left, once in each of its runs. What is stored is kept in memory as well, and in the window's `name` from when the
 * page goes until the next one comes.
 */
export function tabStorage(storage: Storage, { name }: { name: string }): TabStorage {
  const kept = new Map<string, string>();
  const tab: TabStorage = {
    kept,
    getItem: (at) => kept.get(at) ?? null,
    setItem(at, value) {
      kept.set(at, value);
      storage.setItem(at, value);
    },
    removeItem(at) {
      kept.delete(at);
      storage.removeItem(at);
    },
  };
  try {
    const stored: Record<string, string> = storage[UNCLEARED] ? storage : JSON.parse(name);
    for (const [at, value] of Object.entries(stored)) tab.setItem(at, value);
  } catch {
    // The window has another name, or the storage is full or forbidden: that costs what is in it, never the page.
  }
  return tab;
}
