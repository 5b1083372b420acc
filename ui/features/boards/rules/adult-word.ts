import { type BrowserStorage, getStorage } from '../../../lib/storage/browser-storage.js';

const KEY = 'meshd.adult';

type TabStorage = Pick<BrowserStorage, 'getItem' | 'setItem'>;

/** Returns the age that the reader has declared in this tab; 0 when none. It is stored nowhere else. */
export function declaredAge(storage: TabStorage = getStorage('sessionStorage')): number {
  try {
    const age = Number(storage.getItem(KEY));
    return Number.isInteger(age) && age > 0 ? age : 0;
  } catch {
    return 0;
  }
}

/** Stores that the reader has declared this age or more. A lower age never replaces a higher one. */
export function declareAge(age: number, storage: TabStorage = getStorage('sessionStorage')): void {
  try {
    storage.setItem(KEY, String(Math.max(age, declaredAge(storage))));
  } catch {
    // Without storage, the next page requests the age again.
  }
}
