import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

const SAVE_AFTER_MS = 300;
const PREFIX = 'meshd.draft.';
/** What looks like one of the daemon's own tokens. */
const TOKEN = /\b(?:mk|ck|ak|tk)_[A-Za-z0-9_-]{20,}/;

/**
 * What is typed and not sent, per place: kept in the tab's own storage 300 ms after the last key, so that Esc, a wrong link or a
 * reload costs nothing. A text with a token in it stays in memory only.
 */
export class Drafts {
  private readonly values = new Map<string, unknown>();
  private readonly unsaved = new Set<string>();
  private readonly watchers = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {}

  /** The same object until it is set again; undefined when nothing was typed at this place. */
  read<T>(place: string): T | undefined {
    if (!this.values.has(place)) this.values.set(place, this.load(place));
    return this.values.get(place) as T | undefined;
  }

  write(place: string, value: unknown): void {
    this.values.set(place, value);
    this.unsaved.add(place);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), SAVE_AFTER_MS);
    for (const told of this.watchers) told();
  }

  /** Stores at once what is still waiting: for a page that is about to go. */
  save(): void {
    for (const place of this.unsaved) {
      const text = JSON.stringify(this.values.get(place));
      try {
        if (text === undefined || TOKEN.test(text)) this.storage.removeItem(PREFIX + place);
        else this.storage.setItem(PREFIX + place, text);
      } catch {
        // A full or forbidden storage costs the draft at the next reload, never the page.
      }
    }
    this.unsaved.clear();
  }

  readonly watch = (told: () => void) => {
    this.watchers.add(told);
    return () => this.watchers.delete(told);
  };

  private load(place: string): unknown {
    try {
      const text = this.storage.getItem(PREFIX + place);
      return text === null ? undefined : JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

export const DraftsContext = createContext<Drafts | null>(null);

/** The draft at `place`, or `initial` while nothing was typed there. */
export function useDraft<T>(
  place: string,
  initial: T,
): { value: T; isDirty: boolean; set: (value: T) => void; clear: () => void } {
  const drafts = useContext(DraftsContext);
  if (!drafts) throw new Error('DraftsContext is missing');
  const kept = useSyncExternalStore(drafts.watch, () => drafts.read<T>(place));
  const set = useCallback((value: T) => drafts.write(place, value), [drafts, place]);
  const clear = useCallback(() => drafts.write(place, undefined), [drafts, place]);
  return { value: kept ?? initial, isDirty: kept !== undefined, set, clear };
}
