import type { Drafts } from '../../lib/drafts.js';
import type { TabStorage } from '../../lib/tab-storage.js';

/** Puts what the tab stores into its place in the history when the page goes. */
export function keepStorage(
  drafts: Pick<Drafts, 'save'>,
  { kept }: TabStorage,
  history: Pick<History, 'state' | 'replaceState'> = window.history,
): void {
  addEventListener('pagehide', () => {
    drafts.save();
    history.replaceState({ ...(history.state as object), kept: Object.fromEntries(kept) }, '');
  });
}
