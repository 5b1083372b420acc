import { leaveFilters } from './filter-keys.js';
import { keepFocus } from './kept-focus.js';

/** What a page can do without until it is drawn. */
export function beginComforts(): void {
  keepFocus();
  leaveFilters();
}
