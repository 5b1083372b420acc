import { describe, expect, it } from 'vitest';
import { parsed } from '../../../testing/parts/code-structure.js';
import { isTypeKind, oneLine, stringValue, variableName } from './source-text.js';

const parse = parsed();

it('knows which kinds of symbols have members', () => {
  const kinds = ['class', 'interface', 'struct', 'trait', 'enum', 'record', 'type', 'module', 'function', 'subclass'];
  expect(kinds.filter(isTypeKind)).toEqual(['class', 'interface', 'struct', 'trait', 'enum', 'record', 'type']);
  expect(isTypeKind('classes')).toBe(false);
});

it.each([
  [' a \n\t b ', 9, 'a b'],
  ['abcd', 4, 'abcd'],
  ['abcde', 4, 'abc…'],
  ['', 4, ''],
  [`${' '.repeat(32)}abc`, 4, ''],
  [`${' '.repeat(31)}abc`, 4, 'a'],
])('puts %j on one line of at most %i', (text, most, line) => {
  expect(oneLine(text, most)).toBe(line);
});

/** The first node of a type, in any language. */
const nodeOf = (grammar: Parameters<typeof parse>[0], text: string, ...types: string[]) =>
  [...parse(grammar, text).below()].find(({ type }) => types.includes(type));

describe('the value of a string', () => {
  it.each([
    ['typescript', "x = 'a b';", 'string', 'a b'],
    ['typescript', "x = '';", 'string', ''],
    ['typescript', 'x = `a`;', 'template_string', 'a'],
    ['typescript', `x = \`a\${b}\`;`, 'template_string', undefined],
    ['python', 'x = "a"', 'string', 'a'],
    ['python', 'x = rb"a"', 'string', 'a'],
    ['python', 'x = f"a{b}"', 'string', undefined],
    ['python', "x = ''", 'string', ''],
    ['go', 'var x = "a"', 'interpreted_string_literal', 'a'],
    ['go', 'var x = ""', 'interpreted_string_literal', ''],
    ['rust', 'const X: &str = "a";', 'string_literal', 'a'],
    ['c-sharp', 'class A { string x = "a"; }', 'string_literal', 'a'],
    ['c-sharp', 'class A { string x = @"a"; }', 'verbatim_string_literal', 'a'],
    ['cpp', "char x = 'a';", 'char_literal', 'a'],
    ['bash', 'x="a$(b)"', 'string', undefined],
    ['bash', 'x="a$b"', 'string', undefined],
    ['ruby', 'x = "a#{b}"', 'string', undefined],
    ['typescript', 'x = 3;', 'number', undefined],
  ] as const)('in %s of %s', (grammar, text, type, value) => {
    const node = nodeOf(grammar, text, type);
    expect(node?.type).toBe(type);
    expect(stringValue(node)).toBe(value);
  });

  it('is none of what is no node, and none of a text of more than two thousand characters', () => {
    const long = (length: number) => nodeOf('typescript', `x = '${'a'.repeat(length)}';`, 'string');
    expect(stringValue(undefined)).toBeUndefined();
    expect([stringValue(long(1_998))?.length, stringValue(long(1_999))]).toEqual([1_998, undefined]);
  });
});

describe('the name of a variable that is asked for', () => {
  it.each([
    ["read('HOME')", 'HOME'],
    ['read(HOME)', '$HOME'],
    ['read(names.HOME)', '$HOME'],
    ['read(a.b.HOME_2)', '$HOME_2'],
    ['read(3)', undefined],
    ['read(a + 3)', undefined],
    ['read(names[0])', undefined],
    ['read()', undefined],
    [`read(${'a'.repeat(102)})`, undefined],
    [`read(${'a'.repeat(101)})`, `$${'a'.repeat(101)}`],
  ])('in %s', (text, name) => {
    const given = nodeOf('typescript', text, 'arguments');
    expect(variableName(given?.children[0])).toBe(name);
  });

  it('stands at the end of at most two hundred characters', () => {
    const named = (parts: number) =>
      variableName(nodeOf('typescript', `read(${'a.'.repeat(parts)}HOME)`, 'arguments')?.children[0]);
    expect([named(98), named(99)]).toEqual(['$HOME', undefined]);
  });

  it('may stand behind a path of another language', () => {
    expect(variableName(nodeOf('rust', 'const X: u8 = names::HOME;', 'scoped_identifier'))).toBe('$HOME');
    expect(variableName(nodeOf('cpp', 'int x = names->HOME;', 'field_expression'))).toBe('$HOME');
    expect(variableName(nodeOf('php', '<?php a(\\Names\\HOME);', 'argument'))).toBe('$HOME');
  });
});
