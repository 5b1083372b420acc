import type { Drafts } from '../../lib/drafts.js';
import { type TabStorage, UNCLEARED } from '../../lib/tab-storage.js';

/**
 * Leaves what the tab stores in its window's name when the page goes: a browser clears that for a page of another
 * origin.
 */
export function keepStorage(drafts: Pick<Drafts, 'save'>, tab: TabStorage, place: { name: string } = window): void {
  place.name = '';
  try {
    tab.setItem(UNCLEARED, '1');
  } catch {
    // A storage that is full or forbidden is not relied on.
  }
  addEventListener('pagehide', () => {
    drafts.save();
    place.name = JSON.stringify(Object.fromEntries(tab.kept));
  });
}
