import type { Page } from '@playwright/test';
import { expect } from '../fixtures.js';

/** Invisible characters, and those that change the text direction of what follows. */
const TURNING =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]';

/** Returns what on the page is not harmless text; empty if everything is. */
function findHarm(turning: string): string[] {
  const found: string[] = [];
  if ('struck' in window) found.push(`ran: struck = ${String(window.struck)}`);
  const markup =
    'iframe, object, embed, base, audio, video, math, form[action]:not([action=""]), main script, main style, ' +
    'main link, main meta, main template, animate';
  for (const element of document.querySelectorAll(markup)) found.push(element.outerHTML.slice(0, 200));
  for (const image of document.querySelectorAll('img')) {
    if (!/^blob:|^data:image\/(png|jpeg|gif|webp);/.test(image.src)) found.push(image.outerHTML.slice(0, 200));
  }
  for (const link of document.querySelectorAll('a[href], a[*|href]')) {
    const address = link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? '';
    const { protocol, host } = new URL(address, window.location.href);
    const rel = (link.getAttribute('rel') ?? '').split(' ');
    const isOurs = host === window.location.host && protocol === window.location.protocol;
    const isSent =
      ['http:', 'https:', 'mailto:'].includes(protocol) &&
      ['noopener', 'noreferrer', 'nofollow'].every((word) => rel.includes(word));
    if (!isOurs && !isSent) found.push(link.outerHTML.slice(0, 200));
  }
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) found.push(`${element.tagName} ${name}=${value.slice(0, 100)}`);
      if (/^(title|alt|aria-label|aria-description|placeholder)$/.test(name) && new RegExp(turning).test(value))
        found.push(`${element.tagName} ${name}: turns the direction`);
    }
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    // An editable field shows its text unchanged.
    if (new RegExp(turning).test(text.nodeValue ?? '') && !parent?.closest('textarea, script, style'))
      found.push(`turns the direction: ${parent?.outerHTML.slice(0, 200)}`);
  }
  if (new RegExp(turning).test(document.title)) found.push('the title turns the direction');
  const sideways = (document.scrollingElement?.scrollWidth ?? 0) - window.innerWidth;
  if (sideways > 0) {
    const isCut = (one: Element | null): boolean =>
      one !== null && (getComputedStyle(one).overflowX !== 'visible' || isCut(one.parentElement));
    const textsOf = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let widest = '';
    while (textsOf.nextNode()) {
      range.selectNodeContents(textsOf.currentNode);
      const parent = textsOf.currentNode.parentElement;
      if (range.getBoundingClientRect().right > window.innerWidth && !isCut(parent))
        widest = parent?.outerHTML.slice(0, 300) ?? '';
    }
    found.push(`scrolls sideways by ${sideways} px: ${widest}`);
  }
  return found;
}

const softly = expect.configure({ soft: true });

/** Expects that no planted text ran, became markup or broke the layout. The fixture checks requests to other hosts. */
export async function expectHarmless(page: Page, where: string): Promise<void> {
  // A soft expectation, so that one wrong page does not hide the next. It polls, because a page that was just resized
  // renders again first.
  await softly.poll(() => page.evaluate(findHarm, TURNING), { message: where, timeout: 5_000 }).toEqual([]);
}
