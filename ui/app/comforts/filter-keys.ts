/** From a filter on to what it left, with the arrow; Esc leaves the field, where the browser would clear it. */
export function leaveFilters(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (
      !(target instanceof HTMLElement && target.matches('[data-filter]')) ||
      (key !== 'ArrowDown' && key !== 'Escape')
    )
      return;
    event.preventDefault();
    target.blur();
    if (key === 'ArrowDown') document.querySelector<HTMLElement>('main [data-row]')?.focus();
  });
}
