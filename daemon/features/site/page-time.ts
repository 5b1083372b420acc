import { type Html, html } from './html.js';
import { formatDate, formatRelativeTime } from './page-format.js';

/** The age of a point in time (epoch seconds) as text, with the full date in the tooltip. */
export const timeHtml = (epochSeconds: number, now: number): Html =>
  html`<time datetime="${new Date(epochSeconds * 1000).toISOString()}" title="${formatDate(epochSeconds)}">${formatRelativeTime(epochSeconds, now)}</time>`;
