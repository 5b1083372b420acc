import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

const SAVE_AFTER_MS = 300;
const PREFIX = 'meshd.draft.';
/** Matches text that looks like one of the daemon's own tokens. */
const TOKEN = /\b(?:mk|ck|ak|tk)_[A-Za-z0-9_-]{20,}/;

/**
 * Unsent input, keyed by place. Each draft is saved to the tab's session storage 300 ms after the last change, so that
 * Esc, a wrong link or a reload does not lose it. A draft that contains a token stays in memory only.
 */
export class Drafts {
  private readonly values = new Map<string, unknown>();
  private readonly unsaved = new Set<string>();
  private readonly watchers = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {}

  /** Returns the draft of `place`: the same object until the next write, or undefined when there is none. */
  read<T>(place: string): T | undefined {
    if (!this.values.has(place)) this.values.set(place, this.load(place));
    return this.values.get(place) as T | undefined;
  }

  write(place: string, value: unknown): void {
    this.values.set(place, value);
    this.unsaved.add(place);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), SAVE_AFTER_MS);
    for (const notify of this.watchers) notify();
  }

  /** Saves every unsaved draft at once. Called before the page is unloaded. */
  save(): void {
    for (const place of this.unsaved) {
      const text = JSON.stringify(this.values.get(place));
      try {
        if (text === undefined || TOKEN.test(text)) this.storage.removeItem(PREFIX + place);
        else this.storage.setItem(PREFIX + place, text);
      } catch {
        // A full or forbidden storage loses the draft at the next reload. It must not break the page.
      }
    }
    this.unsaved.clear();
  }

  readonly watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
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

/** Returns the draft at `place`, or `initial` when there is none. */
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
