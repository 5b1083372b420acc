type StorageName = 'sessionStorage' | 'localStorage';
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

function createStandIn(): BrowserStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    key: (at) => [...items.keys()][at] ?? null,
    get length() {
      return items.size;
    },
  };
}

const standIns = new Map<StorageName, BrowserStorage>();

/**
 * Returns the browser's storage. Where site data is blocked, reading the property itself throws: it is then one in
 * memory, the same until the page is left.
 */
export function getStorage(name: StorageName): BrowserStorage {
  try {
    return window[name];
  } catch {
    const standIn = standIns.get(name) ?? createStandIn();
    standIns.set(name, standIn);
    return standIn;
  }
}
