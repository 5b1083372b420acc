import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type BashLine, quotedForBash, readBashLine } from './bash-line.js';

const BREAKS = ' \t\n"\'><=;|&(:';

describe('readBashLine', () => {
  it.each<[string, Partial<BashLine>]>([
    ['meshd ', { words: ['meshd'], typed: '', kept: '', quote: '' }],
    ['meshd te', { words: ['meshd'], typed: 'te' }],
    ['meshd cluster show Harb', { words: ['meshd', 'cluster', 'show'], typed: 'Harb' }],
    ['meshd cluster show Harbour\\ cr', { typed: 'Harbour cr', kept: '' }],
    ['meshd cluster show "Harbour cr', { typed: 'Harbour cr', kept: '', quote: '"' }],
    ["meshd cluster show 'it", { typed: 'it', quote: "'" }],
    ["meshd cluster show a:'it", { typed: 'a:it', kept: 'a:', quote: "'" }],
    ['meshd requests ls --status=do', { typed: '--status=do', kept: '--status=' }],
    ['meshd card a:b:c', { typed: 'a:b:c', kept: 'a:b:' }],
    ['meshd card a\\:b', { typed: 'a:b', kept: '' }],
    ['meshd card "a\\"b\\$c\\d', { typed: 'a"b$c\\d', quote: '"' }],
    ['meshd ask "my member" ', { words: ['meshd', 'ask', 'my member'], typed: '' }],
    ['meshd verify > out.txt ', { words: ['meshd', 'verify'], typed: '' }],
    ["meshd ask '' ", { words: ['meshd', 'ask', ''], typed: '' }],
    ['meshd ask $(touch x) ', { words: ['meshd', 'ask', '$(touch', 'x)'] }],
  ])('parses %s', (line, expected) => {
    expect(readBashLine(line, BREAKS)).toMatchObject(expected);
  });
});

describe('a name inserted into a line', () => {
  const names = [
    'plain',
    'a b',
    '$(touch x)',
    '`touch x`',
    "it's",
    'say "hi"',
    'a\\b',
    '*',
    '~',
    '!!',
    'oh "dear"',
    "the 'end'",
    'a;b|c&d',
    '#x',
    '{a,b}',
    'é 😀',
    'a=b:c',
  ];
  const read = (line: string) => execFileSync('bash', ['--norc', '-c', `printf %s ${line}`], { encoding: 'utf8' });

  /** As bash does: it closes the quote unless the text ends with one. */
  const closed = (quote: string, text: string) => `${quote}${text}${text.endsWith(quote) ? '' : quote}`;

  it.each(names)('is read by bash unchanged, bare and in either quote: %s', (name) => {
    expect(read(quotedForBash(name, ''))).toBe(name);
    expect(read(closed('"', quotedForBash(name, '"')))).toBe(name);
    expect(read(closed("'", quotedForBash(name, "'")))).toBe(name);
  });
});
