import type { Extraction } from '../extraction.js';
import type { SyntaxNode } from '../syntax-node.js';
import { FUNCTIONS } from './ecmascript-declarations.js';

/** Where an assignment puts what it defines: in the exports, in a class, or in an object of the file. */
interface Place {
  kind: 'function' | 'method';
  /** Undefined for the class or function around the assignment. */
  container?: string;
}

/**
 * Reads what a file defines by assigning it, as before there were classes and modules: `exports.open = …`,
 * `Lamp.prototype.light = function () {}`, `app.use = function () {}`, `this.close = function () {}`.
 */
export function assignment(node: SyntaxNode, x: Extraction): number | undefined {
  const [left, value] = [node.get('left'), node.get('right')];
  if (left?.type !== 'member_expression' || !value) return undefined;
  if (/^(?:module\.exports|exports\.default)$/.test(left.head(20))) return wholeExport(node, value, x);
  const isFunction = FUNCTIONS.has(value.type);
  const place = findPlace(left.get('object'), isFunction, x);
  // What is handed to the exports under a name of the file is defined there.
  if (!place || (!isFunction && value.type === 'identifier')) return undefined;
  if (place.container === '') x.isModule = true;
  return define(node, left.get('property'), isFunction ? place.kind : 'variable', value, x, place.container);
}

function wholeExport(node: SyntaxNode, value: SyntaxNode, x: Extraction): number | undefined {
  x.isModule = true;
  const name = FUNCTIONS.has(value.type) ? value.get('name') : value;
  if (name?.type !== 'identifier') return undefined;
  x.exportDefault(name.text);
  return name === value ? undefined : define(node, name, 'function', value, x, '');
}

function findPlace(owner: SyntaxNode | undefined, isFunction: boolean, x: Extraction): Place | undefined {
  const text = owner?.head(80) ?? '';
  if (/^(?:module\.)?exports$/.test(text)) return { kind: 'function', container: '' };
  if (!isFunction) return undefined;
  const [, type] = /^([A-Za-z_$][\w$]*)\.prototype$/.exec(text) ?? [];
  if (type !== undefined) return { kind: 'method', container: type };
  if (owner?.type === 'this' && x.isInFunction) return { kind: 'method' };
  return owner?.type === 'identifier' && !x.isInFunction ? { kind: 'method', container: text } : undefined;
}

function define(
  node: SyntaxNode,
  name: SyntaxNode | undefined,
  kind: string,
  value: SyntaxNode,
  x: Extraction,
  container: string | undefined,
): number | undefined {
  return x.define({
    node,
    name,
    kind,
    isExported: true,
    shown: value.get('parameters', 'parameter'),
    body: value.get('body'),
    outer: node.parent?.type === 'expression_statement' ? node.parent : node,
    ...(container === undefined ? {} : { container }),
  });
}
