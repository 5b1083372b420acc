const PREFIX = 'meshd.';
/** Stands in the storage of a tab as long as nobody has cleared it. */
const MARK = 'meshd.tab';

/**
 * The tab's own storage, which outlasts its being cleared: the daemon has the browser clear it with whatever else an earlier program at this address
 * left, once in each of its runs. What is stored is kept in memory as well, and with the tab's place in its history once the page goes.
 */
export class TabStorage implements Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  private readonly kept: Map<string, string>;

  constructor(
    private readonly storage: Storage,
    private readonly history: Pick<History, 'state' | 'replaceState'>,
  ) {
    const stored = Object.entries({ ...storage }).filter(([name]) => name.startsWith(PREFIX));
    const saved = (history.state as { kept?: Record<string, string> } | null)?.kept ?? {};
    this.kept = new Map(stored.some(([name]) => name === MARK) ? stored : Object.entries(saved));
    this.save();
  }

  getItem(name: string): string | null {
    return this.kept.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    this.kept.set(name, value);
    this.storage.setItem(name, value);
  }

  removeItem(name: string): void {
    this.kept.delete(name);
    this.storage.removeItem(name);
  }

  /** Before the page goes. */
  leave(): void {
    this.save();
    this.history.replaceState({ ...(this.history.state as object), kept: Object.fromEntries(this.kept) }, '');
  }

  private save(): void {
    try {
      this.storage.setItem(MARK, '1');
      for (const [name, value] of this.kept) this.storage.setItem(name, value);
    } catch {
      // A full or forbidden storage costs what is in it at the next reload, never the page.
    }
  }
}
