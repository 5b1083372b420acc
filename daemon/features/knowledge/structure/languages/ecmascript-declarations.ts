import { pattern } from '../../../../lib/text/pattern.js';
import type { Extraction } from '../extraction.js';
import { simpleType } from '../parameters.js';
import type { SyntaxNode } from '../syntax-node.js';
import { readRequire } from './ecmascript-imports.js';

export const FUNCTIONS = new Set(['arrow_function', 'function_expression', 'generator_function', 'function']);
const SIMPLE = pattern`
    ^(?:number|string|true|false|null|undefined|template_string|unary_expression|binary_expression|regex|array
      |object|new_expression|call_expression|as_expression|satisfies_expression)$
  `;

const findExport = (node: SyntaxNode) => (node.parent?.type === 'export_statement' ? node.parent : undefined);
/** Whether a node is the environment, or a variable that holds it. */
export function isEnvironment(node: SyntaxNode | undefined, x: Extraction): boolean {
  if (node?.type === 'identifier') return /^(?:process\.env|ProcessEnv)$/.test(x.qualify(node.text));
  return node?.type === 'member_expression' && /^(?:process|import\.meta|Bun|Deno)\.env$/.test(node.head(20));
}

/** Reads a declaration with a name of its own. */
export function declare(kind: string) {
  return (node: SyntaxNode, x: Extraction) => {
    const outer = findExport(node);
    // A function's names are in the scope of the function, which its node has opened.
    return x.define({
      node,
      name: node.get('name'),
      kind,
      isExported: outer !== undefined,
      parameters: node.get('parameters', 'parameter'),
      outer,
    });
  };
}

/** Reads a method, and the fields that a constructor declares. */
export function method(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const parameters = node.get('parameters');
  for (const one of parameters?.children ?? [])
    if (one.of('accessibility_modifier') || /^\s*readonly\b/.test(one.head(12)))
      x.field(one.get('pattern')?.text ?? '', simpleType(one.get('type')?.text));
  return x.define({
    node,
    name,
    kind: x.ownClass === '' ? 'function' : 'method',
    isExported: !/^\s*(?:private|#)/.test(node.head(9)),
    parameters,
  });
}

/** Reads a field; one that holds a function is a method. */
export function field(node: SyntaxNode, x: Extraction) {
  const name = node.get('name', 'property');
  const value = node.get('value');
  x.field(name?.text ?? '', typeOfValue(value) || simpleType(node.get('type')?.text));
  if (value && FUNCTIONS.has(value.type))
    return x.define({
      node,
      name,
      kind: 'method',
      isExported: true,
      shown: value.get('parameters', 'parameter'),
      body: value.get('body'),
    });
  if (name && value && /\bstatic\b|\breadonly\b/.test(node.before(name)))
    x.constant(name.text, value.head(200), node.line);
  x.define({ node, name, kind: 'field', isExported: true, body: value });
  return undefined;
}

function typeOfValue(value: SyntaxNode | undefined): string {
  if (value?.type === 'new_expression') return simpleType(value.get('constructor')?.text);
  if (value?.type === 'as_expression' || value?.type === 'satisfies_expression')
    return simpleType(value.children[1]?.text);
  if (value?.type === 'await_expression') return typeOfValue(value.children[0]);
  const callee = value?.type === 'call_expression' ? value.get('function') : undefined;
  // `Name.open()` of a class usually makes one.
  if (
    callee?.type === 'member_expression' &&
    /^(?:create|open|from\w*|of|make|getInstance|instance|build|new)$/.test(callee.get('property')?.text ?? '')
  ) {
    const owner = callee.get('object')?.text ?? '';
    return /^[A-Z]\w*$/.test(owner) ? owner : '';
  }
  return '';
}

/** Reads a variable: a symbol at the top of a file, else a local name. */
export function variable(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const value = node.get('value');
  if (!name || readRequire(name, value, x)) return undefined;
  const declaration = node.parent;
  const outer = declaration && findExport(declaration);
  const isFunction = value !== undefined && FUNCTIONS.has(value.type);
  const isLocal = x.isInFunction && !isFunction;
  const isEnv = isEnvironment(value, x);
  if (name.type !== 'identifier') {
    for (const one of [name, ...name.below()]) {
      // `{ PORT: port }` reads `PORT`.
      if (isEnv && one.field === 'key') x.readsEnvironment(one.text, one.line);
      if (/^(?:identifier|shorthand_property_identifier_pattern)$/.test(one.type) && one.field !== 'right') {
        x.take(one);
        if (isEnv && one.field !== 'value') x.readsEnvironment(one.text, one.line);
        if (isLocal) x.local(one.text);
        else x.define({ node: one, name: one, kind: 'variable', isExported: outer !== undefined });
      }
    }
    return undefined;
  }
  const type = isEnv ? 'ProcessEnv' : simpleType(node.get('type')?.text) || typeOfValue(value);
  if (isLocal) {
    x.take(name);
    x.local(name.text, type);
    return undefined;
  }
  if (isFunction) {
    const holder = declaration?.type.endsWith('declaration') ? declaration : node;
    return x.define({
      node,
      name,
      kind: 'function',
      isExported: outer !== undefined,
      shown: value?.get('parameters', 'parameter'),
      body: value?.get('body'),
      outer: outer ?? holder,
    });
  }
  x.fileVariable(name.text, type);
  const isConstant = /^\s*const\b/.test(declaration?.head(12) ?? '');
  if (isConstant && value && SIMPLE.test(value.type)) x.constant(name.text, value.head(400), node.line);
  x.define({
    node,
    name,
    kind: isConstant ? 'constant' : 'variable',
    isExported: outer !== undefined,
    outer: outer ?? declaration,
  });
  return undefined;
}

/** An object with more keys than this is data. */
const KEYS_MAX = 200;

/** Whether a node is a key of the object that a file's own variable or its exports hold. */
function isTopLevelKey(node: SyntaxNode): boolean {
  const object = node.parent;
  const holder = object?.parent;
  if (holder?.type !== 'variable_declarator' && holder?.type !== 'assignment_expression') return false;
  const statement = holder.parent?.parent;
  return /^(?:program|export_statement)$/.test(statement?.type ?? '') && (object?.children.length ?? 0) <= KEYS_MAX;
}

/** Reads a function of an object literal, and the named values of an object at the top of a file. */
export function pair(node: SyntaxNode, x: Extraction) {
  const value = node.get('value');
  const key = node.get('key');
  if (!value || !key || x.isInFunction) return undefined;
  if (!FUNCTIONS.has(value.type)) {
    if (key.type !== 'property_identifier' || !isTopLevelKey(node)) return undefined;
    x.define({ node, name: key, kind: 'field', isExported: true, body: value });
    return undefined;
  }
  return x.define({
    node,
    name: key,
    kind: 'method',
    shown: value.get('parameters', 'parameter'),
    body: value.get('body'),
  });
}
