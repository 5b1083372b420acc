import type { Rule } from '../extraction.js';

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
