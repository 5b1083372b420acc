/** Makes the project's own flag the tab's icon, so that several projects can be told apart. */
export function flyAsFavicon(brand: Element | null): void {
  const cloth = brand?.querySelector('svg svg');
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!cloth || !icon) return;
  const drawn = cloth.cloneNode(true) as Element;
  drawn.setAttribute('width', '32');
  drawn.setAttribute('height', '24');
  icon.href = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
}

/**
 * Not by `scrollIntoView`: in some browsers, Chromium 150 among them, Tab then begins at what was shown, past the link
 * that skips the rail.
 */
function showWithin(nav: HTMLElement | null, item: Element | null | undefined): void {
  const rail = nav?.parentElement;
  if (!rail || !item) return;
  const { left, width, top, bottom } = item.getBoundingClientRect();
  const around = rail.getBoundingClientRect();
  nav.scrollLeft += left + width / 2 - around.left - around.width / 2;
  rail.scrollTop += Math.min(top - around.top, 0) || Math.max(bottom - around.bottom, 0);
}

/** Shows the rail's entry for the page where one is, in a window of any size, until `signal` is aborted. */
export function keepShown(nav: HTMLElement | null, signal: AbortSignal): void {
  if (signal.aborted) return;
  const show = () => showWithin(nav, nav?.querySelector('[aria-current]'));
  show();
  addEventListener('resize', show, { signal });
}
