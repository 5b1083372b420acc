const WAIT_MS = 3_000;
const find = () => document.querySelector<HTMLInputElement>('main [data-filter]');

/**
 * Focuses the filter of the page. While the page is loading, typed characters are buffered and inserted once the filter
 * exists.
 */
export function toFilter(): void {
  const there = find();
  if (there || document.querySelector('main h1')) {
    there?.focus();
    return;
  }
  let typed = '';
  const keep = (event: KeyboardEvent) => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return stop();
    typed += event.key;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const arrival = new MutationObserver(() => {
    const come = find();
    if (!come) return;
    stop();
    come.focus();
    come.setRangeText(typed, come.value.length, come.value.length, 'end');
    come.dispatchEvent(new Event('input', { bubbles: true }));
  });
  const timer = setTimeout(() => stop(), WAIT_MS);
  const stop = () => {
    clearTimeout(timer);
    arrival.disconnect();
    document.removeEventListener('keydown', keep, true);
  };
  arrival.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('keydown', keep, true);
}
