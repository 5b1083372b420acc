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
    ' text/html ; q=0.5 , application/json;q=0.5',
    'text/html;q=1',
    'text/*;q=0.4, */*;q=0.3',
    'text/html;level=1;q=0.9, application/json;q=0.8',
    'text/html;q=0.3, text/*;q=0.9, */*;q=0.2',
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
    'text/html;q=1.1',
    'text/html;q=-0.1',
    'text/html;q=0.5, application/json',
    'text/html;q=0.5, application/*;q=0.6',
    'text/*;q=0.1, */*;q=0.5',
    'text/html;q=0.1, text/*, application/json;q=0.5',
    'application/*',
    'image/png',
    ';;;,,,',
  ])('is false for %j', (accept) => {
    expect(wantsPage(accept)).toBe(false);
  });

  it('looks at the first fifty types', () => {
    expect(wantsPage(`${'a/b,'.repeat(49)}text/html`)).toBe(true);
    expect(wantsPage(`${'a/b,'.repeat(50)}text/html`)).toBe(false);
  });
});
