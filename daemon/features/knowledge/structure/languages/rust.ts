import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { addParameters, enumMember } from './common-rules.js';
import { readUse } from './rust-imports.js';

const isPublic = (node: SyntaxNode) => node.of('visibility_modifier') !== undefined;
const given = (call: SyntaxNode) => call.get('arguments')?.children.filter(({ type }) => !/comment/.test(type)) ?? [];

function declare(kind: string) {
  return (node: SyntaxNode, x: Extraction) => {
    const name = node.get('name');
    if (kind === 'constant') {
      const value = node.get('value');
      if (name && value) x.constant(name.text, value.head(400), node.line);
      return x.define({ node, name, kind, isExported: isPublic(node), body: undefined });
    }
    return x.define({ node, name, kind, isExported: isPublic(node) });
  };
}

function functionItem(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const owner = x.ownClass;
  if (name?.text === 'main' && x.container === '') x.entry('main', 'main function', node.line);
  const isMethod = owner !== '';
  const symbol = x.define({
    node,
    name,
    kind: isMethod ? 'method' : 'function',
    isExported: isPublic(node),
    parameters: node.get('parameters'),
  });
  if (isMethod) x.local('self', owner);
  return symbol;
}

/** `impl` is no symbol of its own: what is in it belongs to the type. */
function implItem(node: SyntaxNode, x: Extraction) {
  const type = node.get('type');
  const trait = node.get('trait');
  const name = simpleType(type?.text);
  const traitName = findTraitName(trait);
  const symbol = x.define({ node, name, kind: 'type', isDeclaration: true, outer: node });
  x.take(traitName);
  if (traitName && symbol !== undefined) implemented.set(traitName, name);
  return symbol;
}

/** The name in `a::Trait<T>`. */
function findTraitName(trait: SyntaxNode | undefined): SyntaxNode | undefined {
  const plain = trait?.type === 'generic_type' ? trait.get('type') : trait;
  return plain?.type === 'scoped_type_identifier' ? plain.get('name') : plain;
}

/** Names of traits, recorded when they are visited inside of their `impl`. */
const implemented = new WeakMap<SyntaxNode, string>();

function traitItem(node: SyntaxNode, x: Extraction) {
  const bounds = (node.get('bounds')?.children ?? []).flatMap((one) => findTraitName(one) ?? []);
  const symbol = x.define({ node, name: node.get('name'), kind: 'trait', isExported: isPublic(node) });
  x.take(...bounds);
  for (const one of bounds) extended.add(one);
  return symbol;
}
const extended = new WeakSet<SyntaxNode>();

function field(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  x.field(name?.text ?? '', simpleType(node.get('type')?.text));
  x.define({ node, name, kind: 'field', isExported: isPublic(node) });
  return undefined;
}

function letDeclaration(node: SyntaxNode, x: Extraction) {
  const pattern = node.get('pattern');
  const type = simpleType(node.get('type')?.text) || typeOfValue(node.get('value'), x);
  bind(pattern, type, x);
  return undefined;
}

function bind(pattern: SyntaxNode | undefined, type: string, x: Extraction): void {
  const names =
    pattern?.type === 'identifier'
      ? [pattern]
      : [...(pattern?.below() ?? [])].filter(
          (one) =>
            /^(?:shorthand_field_)?identifier$/.test(one.type) &&
            /^[a-z_]/.test(one.head(1)) &&
            one.field !== 'type' &&
            one.field !== 'path',
        );
  for (const name of names) {
    x.take(name);
    x.local(name.text, names.length === 1 && pattern?.type === 'identifier' ? type : '');
  }
}

/** `T { … }` and the usual `T::new()`. */
function typeOfValue(value: SyntaxNode | undefined, x: Extraction): string {
  if (value?.type === 'try_expression' || value?.type === 'await_expression' || value?.type === 'reference_expression')
    return typeOfValue(value.get('value') ?? value.children[0], x);
  if (value?.type === 'struct_expression') return own(simpleType(value.get('name')?.text), x);
  const callee = value?.type === 'call_expression' ? value.get('function') : undefined;
  if (
    callee?.type !== 'scoped_identifier' ||
    !/^(?:new|default|from|with|open|build|create|parse)/.test(callee.get('name')?.text ?? '')
  )
    return '';
  const path = simpleType(callee.get('path')?.text);
  return /^[A-Z]/.test(path) ? own(path, x) : '';
}

const own = (name: string, x: Extraction) => (name === 'Self' ? x.ownClass : name);

function call(node: SyntaxNode, x: Extraction) {
  let callee = node.get('function');
  if (callee?.type === 'generic_function') callee = callee.get('function');
  if (/^(?:std::)?env::var(?:_os)?$/.test(callee?.head(20) ?? ''))
    x.readsEnvironment(variableName(given(node)[0]), node.line);
  if (callee?.type === 'identifier') {
    if (callee.text === 'Err') failed(node, x);
    x.call(callee);
  } else if (callee?.type === 'field_expression') x.call(callee.get('field'), callee.get('value'));
  else if (callee?.type === 'scoped_identifier') x.call(callee.get('name'), callee.get('path') ?? callee);
  return undefined;
}

function failed(node: SyntaxNode, x: Extraction): void {
  const value = given(node)[0];
  const made = value?.type === 'call_expression' ? value.get('function') : value;
  const name = /^[\w:]+/.exec(made?.head(100) ?? '')?.[0] ?? '';
  if (value && /[A-Z]/.test(name))
    x.error(
      name,
      'return',
      [...value.below()].map((one) => stringValue(one)).find((one) => one !== undefined) ?? '',
      node.line,
    );
}

function macro(node: SyntaxNode, x: Extraction) {
  const name = node.get('macro');
  const body = node.of('token_tree');
  const text = body?.children.map((one) => stringValue(one)).find((one) => one !== undefined);
  if (name && /^(?:panic|bail|anyhow|ensure|unimplemented|todo)$/.test(name.text))
    x.error(`${name.text}!`, 'panic', text ?? '', node.line);
  if (name && /^(?:env|option_env)$/.test(name.text)) x.readsEnvironment(text, node.line);
  if (name?.type === 'identifier') x.call(name);
  callsWithin(body, x);
  return undefined;
}

function callsWithin(body: SyntaxNode | undefined, x: Extraction): void {
  for (const one of body ? [body, ...body.below()] : []) if (one.type === 'token_tree') callsIn(one, x);
}

/** What a macro is given is no syntax tree: a name right before a parenthesis is taken as a call. */
function callsIn(tokens: SyntaxNode, x: Extraction): void {
  for (const next of tokens.children) {
    const name = next.previous;
    if (next.type !== 'token_tree' || name?.type !== 'identifier' || name.end !== next.start || next.head(1) !== '(')
      continue;
    const between = name.previous?.before(name) ?? '';
    const isOfModule = /^(?:crate|super)$/.test(name.previous?.text ?? '');
    x.call(name, /(?:\.|::)$/.test(between.slice(-2)) && !isOfModule ? name.previous : undefined);
  }
}

function modItem(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  if (!node.get('body') && name) {
    x.take(name);
    x.import(`self::${name.text}`, node.line, [['*', name.text]], true);
    return undefined;
  }
  return x.define({ node, name, kind: 'module', isExported: isPublic(node) });
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  switch (node.type) {
    case 'self':
      return x.ownClass || UNKNOWN;
    case 'identifier':
    case 'type_identifier':
      return node.text === 'Self' ? x.ownClass : x.qualify(node.text);
    case 'scoped_identifier':
    case 'scoped_type_identifier':
    case 'generic_type':
      return simpleType(node.text) || UNKNOWN;
    case 'field_expression': {
      const owner = node.get('value');
      return owner ? x.fieldOf(receiver(owner, x), node.get('field')?.text ?? '') : UNKNOWN;
    }
    case 'reference_expression':
    case 'parenthesized_expression':
    case 'try_expression':
    case 'await_expression':
      return node.children.at(-1) ? receiver(node.children.at(-1) as SyntaxNode, x) : UNKNOWN;
    case 'crate':
    case 'super':
      return node.text;
    default:
      return typeOfValue(node, x) || UNKNOWN;
  }
};

export const RUST: LanguageRules = {
  names: new Set(['identifier']),
  typeNames: new Set(['type_identifier']),
  scopes: new Set([
    'function_item',
    'function_signature_item',
    'block',
    'closure_expression',
    'match_arm',
    'for_expression',
  ]),
  receiver,
  enter: {
    function_item: functionItem,
    function_signature_item: functionItem,
    struct_item: declare('struct'),
    union_item: declare('struct'),
    enum_item: declare('enum'),
    type_item: declare('type'),
    const_item: declare('constant'),
    static_item: declare('constant'),
    macro_definition: declare('macro'),
    trait_item: traitItem,
    impl_item: implItem,
    mod_item: modItem,
    field_declaration: field,
    enum_variant: enumMember,
    let_declaration: letDeclaration,
    let_condition: letDeclaration,
    for_expression: letDeclaration,
    match_pattern: (node, x) => {
      bind(node, '', x);
      return undefined;
    },
    closure_expression: addParameters,
    call_expression: call,
    macro_invocation: macro,
    macro_rule: (node, x) => {
      callsWithin(node.get('right'), x);
      return undefined;
    },
    use_declaration: readUse,
    scoped_identifier: (node, x) => {
      x.member(node.get('name'), node.get('path'));
      return undefined;
    },
    field_expression: (node, x) => {
      x.take(node.get('field'));
      return undefined;
    },
    lifetime: (node, x) => {
      x.take(...node.children);
      return undefined;
    },
    type_identifier: (node, x) => {
      if (implemented.has(node)) x.refer('implement', node.text, node.line);
      if (extended.has(node)) x.refer('extend', node.text, node.line);
      return undefined;
    },
  },
};
