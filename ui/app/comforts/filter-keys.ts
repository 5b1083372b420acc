import { isComposing } from '../../lib/keys/is-composing.js';

/**
 * Arrow down moves the focus from a filter field to its results. Esc leaves the field without clearing it, as the
 * browser would.
 */
export function leaveFilters(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (
      !(target instanceof HTMLElement && target.matches('[data-filter]')) ||
      isComposing(event) ||
      (key !== 'ArrowDown' && key !== 'Escape')
    )
      return;
    event.preventDefault();
    target.blur();
    if (key === 'ArrowDown') document.querySelector<HTMLElement>('main [data-row]')?.focus();
  });
}
