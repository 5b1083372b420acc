import { expect, it } from 'vitest';
import { SyntaxNode } from './syntax-node.js';

/** `root(a(b c) d)`, of which `b` and `d` have the type `leaf`. */
function tree() {
  const source = '(a(b c) d)';
  const add = (type: string, start: number, end: number, parent?: SyntaxNode, field: string | null = null) => {
    const node = new SyntaxNode(type, field, start, end, 1, 1, source, parent, parent?.children.at(-1));
    parent?.children.push(node);
    return node;
  };
  const root = add('root', 0, 10);
  const a = add('branch', 1, 7, root, 'left');
  const b = add('leaf', 3, 4, a, 'name');
  const c = add('other', 5, 6, a, 'value');
  const d = add('leaf', 8, 9, root, 'right');
  return { root, a, b, c, d };
}

it('has its text, the start of that, and the text up to another node', () => {
  const { a, b, c, d, root } = tree();
  expect([a.text, a.head(3), a.head(99)]).toEqual(['a(b c)', 'a(b', 'a(b c)']);
  expect([a.before(c), a.before(undefined), root.before(d), b.before(c)]).toEqual(['a(b ', 'a(b c)', '(a(b c) ', 'b ']);
});

it('finds children by their place or type, the first in the text', () => {
  const { root, a, b, c, d } = tree();
  expect([root.get('right', 'left'), root.get('right'), root.get('none'), b.get('left')]).toEqual([
    a,
    d,
    undefined,
    undefined,
  ]);
  expect([root.of('leaf'), root.of('leaf', 'branch'), root.of('none')]).toEqual([d, a, undefined]);
  expect([a.allOf('leaf', 'other'), a.allOf('leaf'), a.allOf('none')]).toEqual([[b, c], [b], []]);
});

it('takes no child without a place for one in it', () => {
  const { c } = tree();
  c.children.push(new SyntaxNode('x', null, 5, 6, 1, 1, '', c, undefined));
  expect(c.get('null')).toBeUndefined();
});

it('finds the nearest node around it', () => {
  const { root, a, b } = tree();
  expect([b.within('root'), b.within('root', 'branch'), b.within('leaf'), root.within('root')]).toEqual([
    root,
    a,
    undefined,
    undefined,
  ]);
});

it('visits what is below it from the outside in, and not inside of closed types', () => {
  const { root, a, b, c, d } = tree();
  expect([...root.below()]).toEqual([a, b, c, d]);
  expect([...root.below(['branch'])]).toEqual([a, d]);
  expect([...b.below()]).toEqual([]);
});
