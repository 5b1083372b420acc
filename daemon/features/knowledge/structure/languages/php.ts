import { pattern } from '../../../../lib/text/pattern.js';
import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { addParameters, firstString } from './common-rules.js';

const VERB = /^(?:get|post|put|patch|delete|any|options)$/;
const given = (node: SyntaxNode) =>
  (node.get('arguments') ?? node.of('arguments'))?.allOf('argument').map((one) => one.children.at(-1) ?? one) ?? [];
/** The declaration around its first element, because a doc comment precedes it. */
const findDocumentedNode = (node: SyntaxNode) => (node.parent?.of(node.type) === node ? node.parent : node);
const lastName = (node: SyntaxNode | undefined) => (node?.type === 'qualified_name' ? node.children.at(-1) : node);

function declare(kind: string) {
  return (node: SyntaxNode, x: Extraction) => x.define({ node, name: node.get('name'), kind, isExported: true });
}

function callable(node: SyntaxNode, x: Extraction) {
  const isMethod = node.type === 'method_declaration';
  const parameters = node.get('parameters');
  for (const one of parameters?.allOf('property_promotion_parameter') ?? [])
    x.field(one.get('name')?.text.replace('$', '') ?? '', simpleType(one.get('type')?.text));
  const isExported = !node.allOf('visibility_modifier').some((one) => one.text === 'private');
  return x.define({ node, name: node.get('name'), kind: isMethod ? 'method' : 'function', isExported, parameters });
}

function property(node: SyntaxNode, x: Extraction) {
  const type = simpleType(node.get('type')?.text);
  for (const one of node.allOf('property_element')) {
    const name = one.get('name')?.children[0];
    x.field(name?.text ?? '', type);
    x.define({ node: one, name, kind: 'field', isExported: true, outer: findDocumentedNode(one) });
  }
  return undefined;
}

function constant(node: SyntaxNode, x: Extraction) {
  const name = node.of('name');
  const value = node.children.at(-1);
  if (name && value !== name) x.constant(name.text, value?.head(400), node.line);
  x.define({ node, name, kind: 'constant', isExported: true, outer: findDocumentedNode(node) });
  return undefined;
}

/** What a web server puts beside the environment, about the request at hand. */
const OF_REQUEST = pattern`
    ^(?:HTTP_|REQUEST_|SERVER_|REMOTE_|REDIRECT_|SCRIPT_|CONTENT_|PATH_|PHP_|ORIG_|QUERY_STRING|DOCUMENT_ROOT
      |GATEWAY_|AUTH_|HTTPS$|argv$|argc$)
  `;

function call(node: SyntaxNode, x: Extraction) {
  const name = lastName(node.get('function'));
  const [first, second] = given(node);
  if (/^(?:getenv|env)$/.test(name?.text ?? '')) x.readsEnvironment(variableName(first), node.line, second?.head(200));
  const defined = name?.text === 'define' ? stringValue(first) : undefined;
  if (defined !== undefined) {
    x.constant(defined, second?.head(400), node.line, '');
    x.define({ node, name: defined, kind: 'constant', isExported: true });
  }
  if (name?.type === 'name') x.call(name);
  return undefined;
}

function memberCall(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const text = stringValue(given(node)[0]);
  if (name && VERB.test(name.text) && text?.startsWith('/') && given(node).length > 1)
    x.route(name.text, text, node.line);
  if (name?.type === 'name') x.call(name, node.get('object', 'scope'));
  return undefined;
}

function creation(node: SyntaxNode, x: Extraction) {
  const name = lastName(node.of('name', 'qualified_name'));
  if (name) x.call(name);
  return undefined;
}

function assignment(node: SyntaxNode, x: Extraction) {
  const left = node.get('left');
  const right = node.get('right');
  const made =
    right?.type === 'object_creation_expression' ? (lastName(right.of('name', 'qualified_name'))?.text ?? '') : '';
  if (left?.type === 'variable_name') x.local(left.text, made);
  if (left?.type === 'member_access_expression' && left.get('object')?.text === '$this')
    x.field(left.get('name')?.text ?? '', made);
  return undefined;
}

function thrown(node: SyntaxNode, x: Extraction) {
  const made = node.of('object_creation_expression');
  const type = lastName(made?.of('name', 'qualified_name'))?.text ?? '';
  if (made) x.error(type, 'throw', firstString(given(made)) ?? '', node.line);
  return undefined;
}

function heritage(kind: 'extend' | 'implement') {
  return (node: SyntaxNode, x: Extraction) => {
    for (const one of node.children) {
      const name = lastName(one);
      if (name?.type !== 'name') continue;
      x.take(name);
      x.refer(kind, name.text, name.line);
    }
    return undefined;
  };
}

function use(node: SyntaxNode, x: Extraction) {
  const prefix = node.of('namespace_name')?.text;
  for (const clause of [...node.below()].filter(({ type }) => type === 'namespace_use_clause')) {
    const name = clause.of('qualified_name', 'name');
    const path = [prefix, name?.text.replace(/^\\/, '')].filter((part) => part).join('\\');
    const last = path.split('\\').at(-1) ?? '';
    x.import(path, clause.line, [[last, clause.get('alias')?.text ?? last]]);
  }
  for (const one of node.below()) x.take(one);
  return undefined;
}

function required(node: SyntaxNode, x: Extraction) {
  const text = [node, ...node.below()]
    .map((one) => stringValue(one))
    .filter((one) => one !== undefined)
    .at(-1);
  if (text !== undefined) x.import(`./${text.replace(/^\.?\//, '')}`, node.line, [['*', '*']]);
  return undefined;
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  if (node.type === 'variable_name')
    return node.text === '$this' ? x.ownClass || UNKNOWN : x.isLocal(node.text) ? x.qualify(node.text) : UNKNOWN;
  if (node.type === 'relative_scope') return x.ownClass || UNKNOWN;
  if (node.type === 'name' || node.type === 'qualified_name')
    return /^(?:self|static|parent)$/.test(node.text) ? x.ownClass : x.qualify(lastName(node)?.text ?? '');
  if (node.type === 'member_access_expression') {
    const owner = node.get('object');
    return owner ? x.fieldOf(receiver(owner, x), node.get('name')?.text ?? '') : UNKNOWN;
  }
  if (node.type === 'object_creation_expression') return lastName(node.of('name', 'qualified_name'))?.text ?? UNKNOWN;
  return node.type === 'parenthesized_expression' && node.children[0] ? receiver(node.children[0], x) : UNKNOWN;
};

export const PHP: LanguageRules = {
  names: new Set(),
  typeNames: new Set(),
  scopes: new Set(['function_definition', 'method_declaration', 'anonymous_function', 'arrow_function']),
  receiver,
  enter: {
    namespace_definition: (node, x) => {
      x.package = node.get('name')?.text ?? '';
      x.isModule = true;
      return undefined;
    },
    namespace_use_declaration: use,
    require_expression: required,
    require_once_expression: required,
    include_expression: required,
    include_once_expression: required,
    class_declaration: declare('class'),
    interface_declaration: declare('interface'),
    trait_declaration: declare('trait'),
    enum_declaration: declare('enum'),
    function_definition: callable,
    method_declaration: callable,
    anonymous_function: addParameters,
    arrow_function: addParameters,
    property_declaration: property,
    const_element: constant,
    function_call_expression: call,
    member_call_expression: memberCall,
    nullsafe_member_call_expression: memberCall,
    scoped_call_expression: memberCall,
    object_creation_expression: creation,
    assignment_expression: assignment,
    throw_expression: thrown,
    base_clause: heritage('extend'),
    class_interface_clause: heritage('implement'),
    use_declaration: heritage('implement'),
    named_type: (node, x) => {
      const name = lastName(node.children[0]);
      if (name?.type === 'name') x.refer('type', name.text, name.line);
      return undefined;
    },
    class_constant_access_expression: (node, x) => {
      const [owner, name] = node.children;
      if (owner && name?.type === 'name') x.member(name, owner);
      if (owner?.type === 'name') x.refer('read', owner.text, owner.line);
      return undefined;
    },
    subscript_expression: (node, x) => {
      const [array, key] = node.children;
      const name = stringValue(key);
      if (array?.text === '$_ENV' || (array?.text === '$_SERVER' && !OF_REQUEST.test(name ?? '')))
        x.readsEnvironment(name, node.line);
      return undefined;
    },
  },
};
