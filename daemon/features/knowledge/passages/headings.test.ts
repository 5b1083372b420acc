import { describe, expect, it } from 'vitest';
import { getHeadingFinder, putHeading } from './headings.js';

/** Returns `<line> <level> <text>` of each heading. */
const find = (path: string, text: string) =>
  getHeadingFinder(path)?.(text.split('\n')).map(({ line, level, text: heading }) => `${line} ${level} ${heading}`);

it('a heading stands below those of the levels above', () => {
  const trail: string[] = [];
  expect(putHeading(trail, 1, 'a')).toEqual(['a']);
  expect(putHeading(trail, 2, 'b')).toEqual(['a', 'b']);
  expect(putHeading(trail, 2, 'c')).toEqual(['a', 'c']);
  expect(putHeading(trail, 4, 'd')).toEqual(['a', 'c', 'd']);
  expect(putHeading(trail, 3, 'e')).toEqual(['a', 'c', 'e']);
  expect(putHeading(trail, 1, 'f')).toEqual(['f']);
  expect(putHeading([], 3, 'g')).toEqual(['g']);
});

describe('the headings of', () => {
  it.each<[string, string, string[]]>([
    ['a.rst', 'A\n===\n\nB\n---\n\nC\n~~~\n\nD\n===  ', ['0 1 A', '3 2 B', '6 3 C', '9 1 D']],
    ['a.rst', 'A\n==\n\nB\n=-=\n\n C\n===\n\nD\n=== x\n\n\n===', []],
    ['a.rst', '===\nA  b\n===', ['1 1 A b']],
    ['a.rst', '===\n---', []],
    ['a.txt', `${'a'.repeat(120)}\n===\n${'b'.repeat(121)}\n===`, [`0 1 ${'a'.repeat(120)}`]],
    [
      'a.rest',
      ['=', '-', '~', '^', '*', '#', '"'].map((mark) => `${mark.charCodeAt(0)}\n${mark.repeat(3)}`).join('\n\n'),
      ['0 1 61', '3 2 45', '6 3 126', '9 4 94', '12 5 42', '15 6 35', '18 6 34'],
    ],
    [
      'NOTES',
      "A\n'''\nB\n```\nC\n+++\nD\n...\nE\n:::\nF\n___",
      ['0 1 A', '2 2 B', '4 3 C', '6 4 D', '8 5 E', '10 6 F'],
    ],
    ['x/NOTES', 'A\n===', ['0 1 A']],
    ['a.1', '.SH NAME\n.SS  "Of \\fBlamps\\fR\\-x"  \n.SHX A\n .SH B\n.SH ""\n.Sh C', ['0 1 NAME', '1 2 Of lamps-x']],
    ['a.8.in', '.SH A "b" c', ['0 1 A "b" c']],
    ['a.man', '.SH A', ['0 1 A']],
    ['a.mdoc', '.SH A', ['0 1 A']],
    ['a.roff.prebuilt', '.SH A', ['0 1 A']],
    ['a.adoc', '=  A b \n====== B\n======= C\n = D\n=E\n= ', ['0 1 A b', '1 6 B']],
    ['a.ASCIIDOC', '= A', ['0 1 A']],
    [
      'a.texi',
      '@chapter  A\n@section B\n@subsection C\n@subsubsection D\n@chapters E\n @chapter F\nx@section G\n@chapter ',
      ['0 1 A', '1 2 B', '2 3 C', '3 4 D'],
    ],
    ['a.TEXINFO', '@chapter A', ['0 1 A']],
    ['a.pod', '=head1  A\n=head6 B\n=head7 C\n =head1 D\n=head2', ['0 1 A', '1 6 B']],
    ['a.POD', '=head1 A', ['0 1 A']],
    ['a.org', '*  A\n****** B\n******* C\n * D\n*E', ['0 1 A', '1 6 B']],
    ['a.ORG', '* A', ['0 1 A']],
    [
      'a.yml',
      '- title: "A"\n  -  name : `b` \'c\'\n    - heading: D``"\n- titles: E\nx - name: F\n- name:\n- name: ""',
      ['0 1 A', "1 2 b 'c", '2 3 D'],
    ],
    ['a.YAML', `${' '.repeat(20)}- name: A`, ['0 6 A']],
  ])('%s: %j', (path, text, headings) => expect(find(path, text)).toEqual(headings));

  it('lines of at most 400 characters, 120 of which are kept', () => {
    expect(find('a.org', `* ${'a'.repeat(398)}`)).toEqual([`0 1 ${'a'.repeat(120)}`]);
    expect(find('a.org', `* ${'a'.repeat(399)}`)).toEqual([]);
    expect(find('a.org', '* a\t  b')).toEqual(['0 1 a b']);
  });

  it.each([
    'a.md',
    'a.ts',
    'a.rsts',
    'a.txt.x',
    'NOTES1',
    'MyNOTES',
    'a.0',
    'a.1x',
    'a.man.x',
    'a.adocs',
    'a.orgs',
    'a.yml.x',
    'a.pods',
    'a.texis',
  ])('no other document: %s', (path) => expect(getHeadingFinder(path)).toBeUndefined());
});
