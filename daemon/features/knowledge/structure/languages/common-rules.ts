import type { Rule } from '../extraction.js';
import { stringValue } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';

/** The names of a function without a name of its own are local. */
export const addParameters: Rule = (node, x) => {
  x.addLocals(node.get('parameters'));
  return undefined;
};

/** A member of an enumeration is visible wherever the enumeration is. */
export const enumMember: Rule = (node, x) => {
  x.define({ node, name: node.get('name'), kind: 'field', isExported: true });
  return undefined;
};

/** The value of the first of `nodes` that is a string. */
export const firstString = (nodes: readonly SyntaxNode[]): string | undefined =>
  nodes.map((one) => stringValue(one)).find((one) => one !== undefined);
