import { RELOADED } from '../../lib/reloaded.js';
import { leaveFilters } from './filter-keys.js';
import { keepFocus } from './kept-focus.js';
import { keepStorage } from './kept-storage.js';

/** What a page can do without until it is drawn. */
export function beginComforts(...tab: Parameters<typeof keepStorage>): void {
  keepStorage(...tab);
  tab[1].removeItem(RELOADED);
  keepFocus();
  leaveFilters();
}
