const KEY = 'meshd.adult';

type TabStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** The age that the reader has said to have, for this tab only: nothing of it is kept elsewhere. 0 for nothing said. */
export function declaredAge(storage: TabStorage = window.sessionStorage): number {
  try {
    const age = Number(storage.getItem(KEY));
    return Number.isInteger(age) && age > 0 ? age : 0;
  } catch {
    return 0;
  }
}

/** Keeps the reader's word that they are so old or older. A younger word never takes back an older one. */
export function declareAge(age: number, storage: TabStorage = window.sessionStorage): void {
  try {
    storage.setItem(KEY, String(Math.max(age, declaredAge(storage))));
  } catch {
    // Where nothing may be kept, the next page asks again.
  }
}
