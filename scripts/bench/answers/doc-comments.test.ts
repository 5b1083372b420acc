import { expect, it } from 'vitest';
import { withoutDocComments } from './doc-comments.js';

it('empties comments above definitions and keeps every line where it is', () => {
  const text = [
    '// The licence.',
    '',
    '/**',
    ' * Opens the lock.',
    ' */',
    'export function open() {',
    '  // Not a doc comment.',
    '  return 1;',
    '}',
    '/* of a block',
    'without stars */',
    'int shut(int a) {',
    '}',
  ];
  expect(withoutDocComments('a.ts', text.join('\n')).split('\n')).toEqual([
    '// The licence.',
    '',
    '',
    '',
    '',
    ...text.slice(5, 9),
    '',
    '',
    ...text.slice(11),
  ]);
});

it('keeps attributes, decorators and the preprocessor', () => {
  const rust = ['/// Opens it.', '#[inline]', 'pub fn open() {}'];
  expect(withoutDocComments('a.rs', rust.join('\n')).split('\n')).toEqual(['', ...rust.slice(1)]);
  const c = ['#include <stdio.h>', '#define DEPTH 3', 'int open(int a) {', '}'].join('\n');
  expect(withoutDocComments('a.c', c)).toBe(c);
});

it('empties doc strings of Python, of one line and of several', () => {
  const text = [
    'def open(',
    '    a,',
    '):',
    '    """Opens',
    '    it."""',
    '    return """kept"""',
    '',
    'def shut():',
    "    '''Shuts.'''",
    '    pass',
  ];
  expect(withoutDocComments('a.py', text.join('\n')).split('\n')).toEqual([
    ...text.slice(0, 3),
    '',
    '',
    ...text.slice(5, 8),
    '',
    '    pass',
  ]);
});
