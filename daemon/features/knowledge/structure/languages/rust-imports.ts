import type { Extraction } from '../extraction.js';
import { oneLine } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';

/** Reads a `use` declaration. */
export function readUse(node: SyntaxNode, x: Extraction): undefined {
  const argument = node.get('argument');
  if (argument) uses(argument, [], x, node.line, node.of('visibility_modifier') !== undefined);
  for (const one of node.below()) x.take(one);
  return undefined;
}

/** Records each path of a `use`, whose lists may nest. */
function uses(node: SyntaxNode, before: readonly string[], x: Extraction, line: number, isExported: boolean): void {
  if (before.length > 20) return;
  const add = (path: readonly string[], names: [string, string][]) =>
    x.import(path.join('::'), line, names, isExported);
  const parts = (one: SyntaxNode | undefined) =>
    one
      ? [
          ...before,
          ...oneLine(one.text, 300)
            .split('::')
            .map((part) => part.trim()),
        ]
      : [...before];
  if (node.type === 'scoped_use_list') {
    for (const one of node.get('list')?.children ?? []) uses(one, parts(node.get('path')), x, line, isExported);
  } else if (node.type === 'use_list') {
    for (const one of node.children) uses(one, before, x, line, isExported);
  } else if (node.type === 'use_wildcard') add(parts(node.children[0]), [['*', '*']]);
  else {
    const path = node.type === 'use_as_clause' ? parts(node.get('path')) : parts(node);
    const name = path.at(-1) ?? '';
    const local = node.get('alias')?.text ?? (name === 'self' ? (path.at(-2) ?? '') : name);
    add(name === 'self' ? path.slice(0, -1) : path, [[name === 'self' ? (path.at(-2) ?? '') : name, local]]);
  }
}
