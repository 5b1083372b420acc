import { simpleType } from '../parameters.js';
import type { SyntaxNode } from '../syntax-node.js';

/** The declarator of a function below pointers and references. */
export function functionDeclarator(node: SyntaxNode | undefined): SyntaxNode | undefined {
  let at = node;
  for (let step = 0; at && step < 12; step += 1) {
    if (at.type === 'function_declarator') {
      // `void (*name)(int)` declares a pointer.
      return at.get('declarator')?.type === 'parenthesized_declarator' ? undefined : at;
    }
    at = at.get('declarator') ?? at.children.find(({ type }) => type.endsWith('declarator'));
  }
  return undefined;
}

/** The name that a declarator declares, and the names before it, as in `A::f`. */
export function declared(node: SyntaxNode | undefined): { name: SyntaxNode | undefined; container: string } {
  let at = node;
  const before: string[] = [];
  for (let step = 0; at && step < 20; step += 1) {
    if (at.type === 'qualified_identifier') {
      before.push(simpleType(at.get('scope')?.text) || (at.get('scope')?.head(80) ?? ''));
      at = at.get('name');
      continue;
    }
    if (/^(?:identifier|field_identifier|type_identifier|destructor_name|operator_name)$/.test(at.type)) break;
    at = at.get('declarator', 'name') ?? at.children.find(({ type }) => /declarator|identifier/.test(type));
  }
  return { name: at, container: before.filter((part) => part !== '').join('.') };
}
