import { describe, expect, it } from 'vitest';
import { html } from './html.js';
import { formatDate, formatPrice, formatRelativeTime } from './page-format.js';
import { shellWord } from './shell-format.js';

describe('Page text helpers', () => {
  it.each([
    [0, 'just now'],
    [-500, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [119, '1 minute ago'],
    [120, '2 minutes ago'],
    [3599, '59 minutes ago'],
    [3600, '1 hour ago'],
    [7199, '1 hour ago'],
    [86_399, '23 hours ago'],
    [86_400, '1 day ago'],
    [30 * 86_400 - 1, '29 days ago'],
    [30 * 86_400, '1 month ago'],
    [365 * 86_400 - 1, '12 months ago'],
    [365 * 86_400, '1 year ago'],
    [2 * 86_400, '2 days ago'],
    [400 * 86_400, '1 year ago'],
  ])('format an age of %i seconds as %j', (age, said) => {
    expect(formatRelativeTime(1_795_262_400 - age, 1_795_262_400)).toBe(said);
  });

  it.each([
    [{ unit: 'request', amount: 0, currency: 'free' }, 'Free'],
    [{ unit: 'request', amount: 7, currency: 'FREE', tier: 'trial' }, 'Free (trial)'],
    [{ unit: 'request', amount: 0, currency: 'USD', network: 'solana:main' }, 'Free (solana:main)'],
    [{ unit: 'request', amount: 0.25, currency: 'lamports' }, '0.25 lamports per request'],
    [{ unit: 'request', amount: 1e-9, currency: 'SOL' }, '0.000000001 SOL per request'],
    [{ unit: 'request', amount: 250_000, currency: 'USD' }, '$2,500.00 per request'],
    [{ unit: 'request', amount: 5, currency: 'USD' }, '$0.05 per request'],
    [{ unit: 'request', amount: 0.5, currency: 'USD' }, '$0.005 per request'],
    [
      { unit: 'image', amount: 1000, currency: 'lamports', network: 'solana:local', tier: 'standard' },
      '1,000 lamports per image (solana:local, simulated, standard)',
    ],
  ])('format the price %j as %j', (row, said) => {
    expect(formatPrice(row)).toBe(said);
  });

  it('format a date to the minute', () => {
    expect(formatDate(1_795_262_459)).toBe('2026-11-21 12:00 UTC');
  });

  it('escape all external text in elements and attributes', () => {
    const evil = `"><script>alert('x')</script>&\u0000\u001b`;
    expect(html`<a title="${evil}">${[html`<b>${evil}</b>`, undefined, 3]}</a>`.text).toBe(
      '<a ' +
        'title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;\\x00\\x1b"><b>&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;\\x00\\x1b</b>3</a>',
    );
  });

  it('quote a shell word and remove invisible characters', () => {
    expect(shellWord('https://a.example/$(id)`id`"\\')).toBe("'https://a.example/$(id)`id`\"\\'");
    expect(shellWord("it's")).toBe(`'it'\\''s'`);
    expect(shellWord('a\u202eb\u0000c\nd')).toBe("'abcd'");
  });
});
