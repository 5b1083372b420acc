import { describe, expect, it } from 'vitest';
import { wantsPage } from './accept.js';

describe('wantsPage', () => {
  it.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html, application/json',
    'application/json;q=0.5, text/html',
    'text/*',
    'TEXT/HTML;level=1',
  ])('is true for %j', (accept) => {
    expect(wantsPage(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'application/json, text/html;q=0.9',
    'text/html;q=0, application/json',
    'text/html;q=nonsense',
    'application/*',
    'image/png',
    ';;;,,,',
  ])('is false for %j', (accept) => {
    expect(wantsPage(accept)).toBe(false);
  });
});
