const PARTS = 'ul, ol, li, section, fieldset, dialog, main';
const HEADINGS = 'h1, h2, h3';
const ENTERED = '[data-row], a[href], button:not(:disabled)';

interface Step {
  element: Element;
  /** Index among the children of the parent, which is the next step. */
  at: number;
}

function getTrail(element: Element): Step[] {
  const trail: Step[] = [];
  for (let step: Element | null = element; step && step !== document.body; step = step.parentElement)
    trail.push({ element: step, at: step.parentElement ? [...step.parentElement.children].indexOf(step) : 0 });
  return trail;
}

/**
 * Returns where to put the focus: the row after a removed one, else what the container names with `data-refocus`, else
 * the container's heading.
 */
function besides(trail: readonly Step[]): HTMLElement | null {
  for (const [index, { element }] of trail.entries()) {
    if (!element.isConnected || !element.matches(PARTS)) continue;
    const inner = trail[index - 1];
    const row =
      inner && !inner.element.isConnected && element.matches('ul, ol')
        ? (element.children[inner.at] ?? element.lastElementChild)
        : null;
    const found =
      row?.querySelector<HTMLElement>(ENTERED) ??
      (element.matches('li')
        ? element.querySelector<HTMLElement>('[data-row]')
        : (element.querySelector<HTMLElement>('[data-refocus]') ??
          (row ? null : element.querySelector<HTMLElement>(HEADINGS))));
    if (found) return found;
  }
  return document.querySelector<HTMLElement>(`main h1`) ?? document.querySelector<HTMLElement>('main');
}

/**
 * When the focused element is removed from the page, by a deletion or new data, the browser leaves nothing focused.
 * This moves the focus to a place beside the removed element. It does nothing when other code has moved the focus or
 * removed it on purpose.
 */
export function keepFocus(): void {
  let trail: Step[] = [];
  const isLost = () => {
    const [last] = trail;
    return (
      last !== undefined && !last.element.isConnected && (document.activeElement ?? document.body) === document.body
    );
  };
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) trail = getTrail(target);
  });
  document.addEventListener('focusout', ({ target }) =>
    queueMicrotask(() => {
      if (target instanceof Element && target.isConnected && target === trail[0]?.element) trail = [];
    }),
  );
  new MutationObserver(() => {
    if (!isLost()) return;
    requestAnimationFrame(() => {
      if (!isLost()) return;
      const found = besides(trail);
      if (found && !found.matches('a, button, input, textarea, select, [tabindex]')) found.tabIndex = -1;
      if (!found) return;
      found.focus({ preventScroll: true });
      // The user did not choose this focus. Until a key is pressed there, a question may take it.
      found.dataset['placed'] = '';
      for (const chosen of ['keydown', 'pointerdown', 'blur'])
        found.addEventListener(chosen, () => delete found.dataset['placed'], { once: true });
    });
  }).observe(document.body, { childList: true, subtree: true });
  if (document.activeElement && document.activeElement !== document.body) trail = getTrail(document.activeElement);
}
