import { leaveFilters } from './filter-keys.js';
import { keepFocus } from './kept-focus.js';

export { listenForShortcuts } from './shortcut-keys.js';

/** Installs listeners that a page does not need until it is rendered. */
export function beginComforts(): void {
  keepFocus();
  leaveFilters();
}
