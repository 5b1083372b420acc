import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { assignment } from './ecmascript-assignments.js';
import { declare, field, isEnvironment, method, pair, variable } from './ecmascript-declarations.js';
import { readExport, readImport } from './ecmascript-imports.js';

const METHODS = /^(?:get|post|put|patch|delete|head|options|all|del)$/;
const arguments_ = (call: SyntaxNode) => call.get('arguments')?.children.filter(({ type }) => type !== 'comment') ?? [];

function call(node: SyntaxNode, x: Extraction) {
  const callee = node.get('function', 'constructor');
  const given = arguments_(node);
  const text = stringValue(given[0]);
  if (callee?.type === 'import' && text !== undefined && !x.isTaken(callee)) x.import(text, node.line);
  if (callee?.type === 'identifier') {
    if (callee.text === 'require' && text !== undefined && !x.isTaken(callee)) x.import(text, node.line);
    x.call(callee);
  } else if (callee?.type === 'member_expression') {
    const name = callee.get('property');
    const owner = callee.get('object');
    if (
      name &&
      text?.startsWith('/') &&
      METHODS.test(name.text) &&
      given.length > 1 &&
      /^(?:identifier|member_expression|call_expression)$/.test(owner?.type ?? '')
    )
      x.route(name.text, text, node.line, given.at(-1)?.type === 'identifier' ? given.at(-1)?.text : '');
    if (name?.text === 'route' && given[0]?.type === 'object') routeObject(given[0], x);
    // `open.call(this)` calls `open`.
    const isHandedOn = name !== undefined && /^(?:call|apply)$/.test(name.text);
    if (isHandedOn && owner?.type === 'identifier') {
      x.take(name);
      x.call(owner);
    } else if (isHandedOn && owner?.type === 'member_expression') {
      x.take(name);
      x.call(owner.get('property'), owner.get('object'));
    } else x.call(name, owner);
  }
  return undefined;
}

/** Fastify's `route({ method, url })`. */
function routeObject(node: SyntaxNode, x: Extraction): void {
  const value = (key: string) =>
    stringValue(
      node
        .allOf('pair')
        .find((pair) => pair.get('key')?.text === key)
        ?.get('value'),
    );
  x.route(value('method') ?? 'ANY', value('url') ?? value('path'), node.line);
}

function newExpression(node: SyntaxNode, x: Extraction) {
  const made = node.get('constructor');
  if (made?.type === 'identifier') x.call(made);
  else if (made?.type === 'member_expression') x.call(made.get('property'), made.get('object'));
  return undefined;
}

function member(node: SyntaxNode, x: Extraction) {
  const owner = node.get('object');
  const name = node.get('property');
  // `env.toObject()` calls a method of the environment and names no variable.
  const isCalled = node.parent?.type === 'call_expression' && node.parent.get('function') === node;
  if (isEnvironment(owner, x) && !isWritten(node) && !isCalled)
    x.readsEnvironment(name?.text, node.line, fallback(node));
  x.member(name, owner);
  return undefined;
}

function subscript(node: SyntaxNode, x: Extraction) {
  const owner = node.get('object');
  if (isEnvironment(owner, x) && !isWritten(node))
    x.readsEnvironment(variableName(node.get('index')), node.line, fallback(node));
  return undefined;
}

/** Whether a member is only set or removed. `env.X ||= 'y'` reads it too. */
function isWritten(node: SyntaxNode): boolean {
  const around = node.parent;
  if (around?.type === 'assignment_expression') return around.get('left') === node;
  return around?.type === 'unary_expression' && /^delete\b/.test(around.head(7));
}

/** The right side of `env.X ?? 'y'`. */
function fallback(node: SyntaxNode): string | undefined {
  const around = node.parent?.type === 'binary_expression' ? node.parent : undefined;
  const right =
    around?.get('left') === node && /(?:\?\?|\|\|)\s*$/.test(around.before(around.get('right')))
      ? around.get('right')
      : undefined;
  return right?.head(200);
}

function heritage(kind: 'extend' | 'implement') {
  return (node: SyntaxNode, x: Extraction) => {
    for (const one of node.children) {
      if (one.field === 'type_arguments') continue;
      const named = one.type === 'generic_type' ? one.children[0] : one;
      const name =
        named?.type === 'member_expression'
          ? named.get('property')
          : named?.type === 'nested_type_identifier'
            ? named.get('name')
            : named;
      if (!name || !/identifier$/.test(name.type)) continue;
      x.take(name);
      x.refer(kind, name.text, name.line);
    }
    return undefined;
  };
}

function thrown(node: SyntaxNode, x: Extraction) {
  const made = node.of('new_expression', 'call_expression');
  if (!made) return undefined;
  const given = arguments_(made);
  const words = given
    .map((one) => stringValue(one) ?? (one.type === 'template_string' ? one.head(200) : undefined))
    .filter((one) => one !== undefined);
  x.error(made.get('constructor', 'function')?.head(80) ?? '', 'throw', words.join(': '), node.line);
  return undefined;
}

function scopeNames(node: SyntaxNode, x: Extraction) {
  x.addLocals(node.get('parameters', 'parameter'));
  const left = node.get('left');
  if (node.type === 'for_in_statement' && left)
    for (const one of [left, ...left.below()])
      if (/identifier/.test(one.type)) {
        x.take(one);
        x.local(one.text);
      }
  return undefined;
}

function enumMember(node: SyntaxNode, x: Extraction) {
  const name = node.type === 'enum_assignment' ? node.get('name') : node;
  const value = node.get('value');
  if (name && value) x.constant(name.text, value.head(200), node.line);
  return undefined;
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  switch (node.type) {
    case 'this':
      return x.ownClass || UNKNOWN;
    case 'super':
      return x.ownClass || UNKNOWN;
    case 'identifier':
      return x.qualify(node.text);
    case 'non_null_expression':
    case 'parenthesized_expression':
    case 'await_expression':
      return node.children[0] ? receiver(node.children[0], x) : UNKNOWN;
    case 'new_expression':
      return simpleType(node.get('constructor')?.text) || UNKNOWN;
    case 'as_expression':
      return simpleType(node.children[1]?.text) || UNKNOWN;
    case 'member_expression': {
      const owner = node.get('object');
      const name = node.get('property')?.text ?? '';
      if (!owner) return UNKNOWN;
      const before = receiver(owner, x);
      return /^[A-Z]/.test(name) ? name : x.fieldOf(before, name);
    }
    default:
      return UNKNOWN;
  }
};

export const ECMASCRIPT: LanguageRules = {
  names: new Set(['identifier', 'shorthand_property_identifier']),
  typeNames: new Set(['type_identifier']),
  scopes: new Set([
    'function_declaration',
    'generator_function_declaration',
    'method_definition',
    'arrow_function',
    'function_expression',
    'generator_function',
    'statement_block',
    'for_statement',
    'for_in_statement',
    'catch_clause',
    'function_signature',
    'method_signature',
    'abstract_method_signature',
    'function_type',
    'call_signature',
    'construct_signature',
    'constructor_type',
  ]),
  receiver,
  enter: {
    import_statement: readImport,
    export_statement: readExport,
    function_declaration: declare('function'),
    generator_function_declaration: declare('function'),
    function_signature: declare('function'),
    class_declaration: declare('class'),
    class: declare('class'),
    abstract_class_declaration: declare('class'),
    interface_declaration: declare('interface'),
    type_alias_declaration: declare('type'),
    enum_declaration: declare('enum'),
    internal_module: declare('module'),
    module: declare('module'),
    method_definition: method,
    method_signature: method,
    abstract_method_signature: method,
    public_field_definition: field,
    field_definition: field,
    property_signature: field,
    variable_declarator: variable,
    assignment_expression: assignment,
    call_expression: call,
    new_expression: newExpression,
    member_expression: member,
    subscript_expression: subscript,
    extends_clause: heritage('extend'),
    class_heritage: heritage('extend'),
    extends_type_clause: heritage('extend'),
    implements_clause: heritage('implement'),
    throw_statement: thrown,
    arrow_function: scopeNames,
    function_expression: scopeNames,
    generator_function: scopeNames,
    function_type: scopeNames,
    constructor_type: scopeNames,
    call_signature: scopeNames,
    construct_signature: scopeNames,
    for_in_statement: scopeNames,
    catch_clause: scopeNames,
    enum_assignment: enumMember,
    pair,
    type_parameter: (node, x) => {
      x.take(node.get('name'));
      return undefined;
    },
    jsx_opening_element: jsx,
    jsx_self_closing_element: jsx,
  },
};

/** `<Name>` is a call of the component. */
function jsx(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  if (name?.type === 'identifier' && /^[A-Z]/.test(name.text)) x.call(name);
  return undefined;
}
