import { describe, expect, it } from 'vitest';
import { mayBeMarkdown } from './may-be-markdown.js';

describe('mayBeMarkdown', () => {
  it.each([
    '**bold**',
    'see `src/a.ts`',
    '- one\n- two',
    '1. one',
    '# title',
    'https://a.example/',
    '> a\n> > b',
    '| a | b |\n|---|---|',
    '- a\n  - b\n    - c',
    'a\n------------------\nb',
    '#sale',
  ])('is true for %j', (text) => expect(mayBeMarkdown(text)).toBe(true));

  it.each(['Good morning', 'One. Two, three: four?', '2026-11-21 at 14:05', 'a - b', ''])('is false for %j', (text) =>
    expect(mayBeMarkdown(text)).toBe(false),
  );

  it.each([
    ['quotes', '> '.repeat(2_000)],
    ['quotes without spaces', '>'.repeat(2_000)],
    ['lists', `${'- '.repeat(1_000)}a`],
    ['numbers', `${'1. '.repeat(1_000)}a`],
    ['emphasis', '*_'.repeat(2_000)],
    ['brackets', '['.repeat(4_000)],
    ['headings', 'a\n-\n'.repeat(1_000)],
    ['length', `**a** ${'b '.repeat(9_000)}`],
  ])('is false for text that is costly to parse: %s', (_name, text) => expect(mayBeMarkdown(text)).toBe(false));
});
