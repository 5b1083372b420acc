import { type Html, html } from './html.js';
import { agoWords, dateWords } from './page-words.js';

/** How long ago something was, from epoch seconds, with the date for whoever wants it. */
export const timeHtml = (epochSeconds: number, now: number): Html =>
  html`<time datetime="${new Date(epochSeconds * 1000).toISOString()}" title="${dateWords(epochSeconds)}">${agoWords(epochSeconds, now)}</time>`;
