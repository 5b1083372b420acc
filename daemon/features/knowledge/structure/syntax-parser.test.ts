import { describe, expect, it, vi } from 'vitest';
import { Parser } from 'web-tree-sitter';
import { systemClock } from '../../../lib/time/clock.js';
import type { SyntaxNode } from './syntax-node.js';
import { ParseTimeout, SyntaxParser } from './syntax-parser.js';

/** A clock on which every look takes `step` milliseconds. */
const slowClock = (step: number) => {
  let now = 0;
  return { ...systemClock, elapsed: () => (now += step) };
};
function run(parser: SyntaxParser, text: string, grammar: Parameters<SyntaxParser['parse']>[0] = 'typescript') {
  let pauses = 0;
  const running = parser.parse(grammar, text);
  for (;;) {
    const step = running.next();
    if (step.done) return { root: step.value, pauses };
    pauses += 1;
  }
}
const show = (node: SyntaxNode): string =>
  `${node.field === null ? '' : `${node.field}:`}${node.type}${node.children.length === 0 ? '' : `(${node.children.map(show).join(' ')})`}`;

describe('a tree', () => {
  it('has the named nodes of the text, with their places', async () => {
    const { root, pauses } = run(await SyntaxParser.open(systemClock), 'a = b(1);\nfunction f(x) {}\n');
    expect(show(root)).toBe(
      'program(expression_statement(assignment_expression(left:identifier right:call_expression(function:identifier ' +
        'arguments:arguments(number)))) function_declaration(name:identifier parameters:formal_parameters(' +
        'required_parameter(pattern:identifier)) body:statement_block))',
    );
    expect(pauses).toBe(0);
  });

  it('knows lines, parents and what stands before a node', async () => {
    const { root } = run(await SyntaxParser.open(systemClock), '\nfunction f() {\n}\n\ng();');
    const [first, second] = root.children;
    expect([root.line, root.endLine, root.text.length]).toEqual([1, 5, 23]);
    expect([first?.line, first?.endLine, second?.line, second?.endLine]).toEqual([2, 3, 5, 5]);
    expect([first?.parent, first?.previous, second?.previous, root.parent]).toEqual([
      root,
      undefined,
      first,
      undefined,
    ]);
    expect(second?.text).toBe('g();');
  });

  it('counts a line break at the end of a node to the line that it ends', async () => {
    const { root } = run(await SyntaxParser.open(systemClock), '#define A 1\n#define B 2\n', 'cpp');
    expect(root.children.map(({ line, endLine }) => [line, endLine])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('counts in units of UTF-16', async () => {
    const { root } = run(await SyntaxParser.open(systemClock), 'x = "é😀";\nlast;');
    expect(root.children.map(({ text }) => text)).toEqual(['x = "é😀";', 'last;']);
  });

  it('has parts that are no valid syntax as errors', async () => {
    const { root } = run(await SyntaxParser.open(systemClock), '@@ )\na;');
    expect(show(root)).toContain('program(ERROR');
  });

  it('is of the grammar that is asked for, each loaded once', async () => {
    const parser = await SyntaxParser.open(systemClock);
    expect(run(parser, 'x = 1\n', 'python').root.type).toBe('module');
    expect(run(parser, 'x = 1\n').root.type).toBe('program');
    expect(run(parser, 'x = 1\n', 'python').root.type).toBe('module');
  });

  it('ends six hundred nodes deep', async () => {
    const { root } = run(await SyntaxParser.open(systemClock), `x = ${'('.repeat(700)}1${')'.repeat(700)};\nlast;`);
    let depth = 0;
    for (
      let node: SyntaxNode | undefined = root;
      node;
      node =
        node.children[0]?.type === 'expression_statement'
          ? node.children[0]
          : (node.children.at(-1) as SyntaxNode | undefined)
    )
      depth += 1;
    expect(depth).toBe(601);
    expect(root.children.at(-1)?.text).toBe('last;');
  });
});

describe('time', () => {
  const long = 'const a = [1, 2, 3];\n'.repeat(6_000);

  it('is given back between slices', async () => {
    expect(run(await SyntaxParser.open(slowClock(1), 1_000_000), long).pauses).toBeGreaterThan(2);
    expect(run(await SyntaxParser.open(slowClock(0), 1), long).pauses).toBe(0);
  });

  it('of one file is bounded, and the next file has all of it again', async () => {
    const parser = await SyntaxParser.open(slowClock(5), 200);
    expect(() => run(parser, long)).toThrow(ParseTimeout);
    expect(run(parser, 'last;').root.children).toHaveLength(1);
  });

  it('is bounded while the tree is copied too', async () => {
    // Only looks after the parse take time.
    let now = 0;
    let isParsed = false;
    const clock = { ...systemClock, elapsed: () => (now += isParsed ? 30 : 0) };
    const parse = Parser.prototype.parse;
    const spy = vi.spyOn(Parser.prototype, 'parse').mockImplementation(function (this: Parser, ...given) {
      const tree = parse.apply(this, given);
      isParsed = true;
      return tree;
    });
    const parser = await SyntaxParser.open(clock, 100);
    expect(() => run(parser, long)).toThrow(ParseTimeout);
    spy.mockRestore();
  });
});

describe('a parser', () => {
  it('in which a grammar trapped is not used again', async () => {
    const parser = await SyntaxParser.open(systemClock);
    const parse = Parser.prototype.parse;
    const used: Parser[] = [];
    const spy = vi.spyOn(Parser.prototype, 'parse').mockImplementation(function (this: Parser, ...given) {
      used.push(this);
      if (used.length === 1) throw new WebAssembly.RuntimeError('unreachable');
      return parse.apply(this, given);
    });
    expect(() => run(parser, 'a;')).toThrow('unreachable');
    expect(run(parser, 'a;').root.children).toHaveLength(1);
    expect(run(parser, 'a;').root.children).toHaveLength(1);
    spy.mockRestore();
    expect([used[0] === used[1], used[1] === used[2]]).toEqual([false, true]);
  });

  it('frees the trees that it copied, and itself when it is closed', async () => {
    const parser = await SyntaxParser.open(systemClock);
    const deleted: string[] = [];
    const parse = Parser.prototype.parse;
    const spy = vi.spyOn(Parser.prototype, 'parse').mockImplementation(function (this: Parser, ...given) {
      const tree = parse.apply(this, given);
      const { walk } = tree as NonNullable<typeof tree>;
      vi.spyOn(tree as NonNullable<typeof tree>, 'delete').mockImplementation(() => void deleted.push('tree'));
      vi.spyOn(tree as NonNullable<typeof tree>, 'walk').mockImplementation(() => {
        const cursor = walk.call(tree as NonNullable<typeof tree>);
        vi.spyOn(cursor, 'delete').mockImplementation(() => void deleted.push('cursor'));
        return cursor;
      });
      return tree;
    });
    const close = vi.spyOn(Parser.prototype, 'delete').mockImplementation(() => void deleted.push('parser'));
    run(parser, 'a;');
    parser.close();
    spy.mockRestore();
    close.mockRestore();
    expect(deleted).toEqual(['cursor', 'tree', 'parser']);
  });
});
