// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { drawPart, removeAfterEach } from '../testing/drawn.js';
import { CopyButton } from './text/copy-button.js';
import { Tooltip } from './tooltip.js';

removeAfterEach();

it.each([
  ['Copied', () => Promise.resolve()],
  ['Not allowed by the browser', () => Promise.reject(new Error('No.'))],
])('says of a copy: %s', async (words, writeText) => {
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const page = await drawPart(<CopyButton text="curl" />);
  await page.press('Copy');
  expect(page.buttons()).toEqual([words]);
});

it('shows an explanation while it has the focus, and hides it on Escape', async () => {
  const page = await drawPart(<Tooltip text="2026-11-29 17:00">today</Tooltip>);
  const anchor = page.place.querySelector('[tabindex="0"]');
  if (!anchor) throw new Error('It takes no focus.');
  const hidden = anchor.getAttribute('class');
  await page.send(anchor, 'focusin');
  expect(anchor.getAttribute('class')).not.toBe(hidden);
  await page.send(anchor, 'keydown', { key: 'Escape' });
  expect(anchor.getAttribute('class')).toBe(hidden);
});
