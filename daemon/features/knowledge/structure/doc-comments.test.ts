import { describe, expect, it } from 'vitest';
import { parsed } from '../../../testing/parts/code-structure.js';
import { docString, readDocComment } from './doc-comments.js';

const parse = parsed();

/** The doc comment of the last function, class or method at the top of a text. */
const docOf = (grammar: Parameters<typeof parse>[0], text: string) => {
  const node = parse(grammar, text).children.findLast(({ type }) => !/comment/.test(type));
  return node && readDocComment(node);
};
const typed = (comment: string) => docOf('typescript', `${comment}\nfunction f() {}\n`);

describe('the comment before a definition', () => {
  it.each([
    ['/** Lights. Well. */', 'Lights.'],
    ['/* Lights */', 'Lights'],
    ['/*! Lights! No. */', 'Lights!'],
    ['// Lights?\n// No.', 'Lights?'],
    ['//! Lights.', 'Lights.'],
    ['/// Lights\n/// all. No.', 'Lights all.'],
    ['/**\n * Lights\n *   all of them. No.\n */', 'Lights all of them.'],
    ['/**\n * Lights it\n *\n * in a second paragraph.\n */', 'Lights it'],
    ['/** Lights v1.2 of it. No. */', 'Lights v1.2 of it.'],
    ['/** Lights <b>all</b> of <T1 x="y">it</T1>. */', 'Lights all of it.'],
    ['/** Lights a < b. */', 'Lights a < b.'],
    ['/**\n * @internal\n * Lights.\n */', 'Lights.'],
    ['/** Mails a@b. */', 'Mails a@b.'],
    ['// -----\n// Lights.\n// ====', 'Lights.'],
    ['// --\n// Lights.', '-- Lights.'],
    ['// No.\n\n', ''],
    ['// No.\n\n// Lights.', 'Lights.'],
    ['// No.\n/* Lights. */', 'Lights.'],
    ['/* No. */\n// Lights.', 'No.'],
    ['const no = 1;', ''],
    ['', ''],
  ])('%j says %j', (comment, doc) => {
    expect(typed(comment)).toBe(doc);
  });

  it('is one sentence of at most two hundred characters', () => {
    expect(typed(`// ${'x'.repeat(201)}`)).toBe('x'.repeat(200));
  });

  it('is read in its last thirty lines', () => {
    const lines = Array.from({ length: 31 }, (_, at) => `// ${at}.`).join('\n');
    expect(typed(lines)).toBe('1.');
  });

  it('may have attributes and annotations behind it', () => {
    expect(docOf('rust', '/// Lights.\n#[inline]\n#[must_use]\nfn f() {}\n')).toBe('Lights.');
    expect(docOf('rust', '/// No.\n\n#[inline]\nfn f() {}\n')).toBe('');
  });

  it.each([
    ['python', '# Lights.\nx = 1\n'],
    ['bash', '#!/bin/sh\n# Lights.\ngo\n'],
    ['ruby', '## Lights.\nx = 1\n'],
    ['go', '/* Lights. */\npackage a\n'],
    ['php', '<?php\n// Lights.\n$x = 1;\n'],
  ] as const)('is written in %s', (grammar, text) => {
    expect(docOf(grammar, text)).toBe('Lights.');
  });

  it('ends with a block comment of a language that tells those apart', () => {
    expect(docOf('java', '// No.\n/* Lights. */\nclass A {}\n')).toBe('Lights.');
    expect(docOf('java', '// Lights.\n// No.\nclass A {}\n')).toBe('Lights.');
  });
});

describe('the string that begins a body of Python', () => {
  const body = (text: string) =>
    docString([...parse('python', `def f():\n${text}\n`).below()].find(({ type }) => type === 'block'));

  it.each([
    ['    """Lights. Well."""', 'Lights.'],
    ["    '''Lights.'''", 'Lights.'],
    ['    "Lights."', 'Lights.'],
    ["    r'Lights.'", 'Lights.'],
    ['    """Lights\n    all. No."""', 'Lights all.'],
    ['    """\n    Lights.\n    """', 'Lights.'],
    ['    pass\n    """No."""', ''],
    ['    go("No.")', ''],
    ['    x = "No."', ''],
  ])('%j says %j', (text, doc) => {
    expect(body(text)).toBe(doc);
  });

  it('is none without a body', () => {
    expect(docString(undefined)).toBe('');
  });
});
