import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { addParameters, firstString } from './common-rules.js';

const VERB = /^Http(Get|Post|Put|Patch|Delete|Head|Options)$/;
const MAP = /^Map(Get|Post|Put|Patch|Delete)$/;

const says = (node: SyntaxNode, word: string) => node.allOf('modifier').some((one) => one.text === word);
const given = (node: SyntaxNode) => node.get('arguments')?.children.map((one) => one.children.at(-1) ?? one) ?? [];
const annotations = (node: SyntaxNode) => node.allOf('attribute_list').flatMap((one) => one.allOf('attribute'));
const firstText = (node: SyntaxNode | undefined) => firstString([...(node?.below() ?? [])]) ?? '';

function declare(kind: string) {
  return (node: SyntaxNode, x: Extraction) => {
    const bases = node.of('base_list')?.children ?? [];
    const symbol = x.define({
      node,
      name: node.get('name'),
      kind,
      isExported: says(node, 'public'),
      shown: node.of('parameter_list'),
    });
    bases.forEach((one, index) => {
      const name =
        one.type === 'generic_name'
          ? one.children[0]
          : one.type === 'qualified_name'
            ? one.get('name')
            : one.type === 'primary_constructor_base_type'
              ? one.get('type')
              : one;
      if (name?.type !== 'identifier') return;
      x.take(name);
      // By the custom of the language an interface begins with I; only the first base can be a class.
      baseKinds.set(name, kind !== 'interface' && (index > 0 || /^I[A-Z]/.test(name.text)) ? 'implement' : 'extend');
    });
    return symbol;
  };
}

/** Names of bases, recorded when they are visited inside of their class. */
const baseKinds = new WeakMap<SyntaxNode, 'extend' | 'implement'>();

function method(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  if (name?.text === 'Main' && says(node, 'static')) x.entry(x.ownClass, 'Main method', node.line);
  const owner = node.within('class_declaration');
  for (const one of annotations(node)) {
    const verb = VERB.exec(one.get('name')?.text ?? '')?.[1];
    if (!verb) continue;
    const outer = owner && annotations(owner).find((other) => other.get('name')?.text === 'Route');
    x.route(
      verb,
      `/${[firstText(outer), firstText(one)].join('/')}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1'),
      one.line,
      name?.text,
    );
  }
  return x.define({
    node,
    name,
    kind: 'method',
    isExported: !says(node, 'private'),
    parameters: node.get('parameters'),
  });
}

function field(node: SyntaxNode, x: Extraction) {
  const declaration = node.of('variable_declaration');
  const type = simpleType(declaration?.get('type')?.text);
  const isConstant = says(node, 'const') || (says(node, 'static') && says(node, 'readonly'));
  for (const one of declaration?.allOf('variable_declarator') ?? []) {
    const name = one.get('name');
    const value = one.children.at(-1) === name ? undefined : one.children.at(-1);
    x.field(name?.text ?? '', type);
    if (isConstant && name && value) x.constant(name.text, value.head(400), one.line);
    x.define({ node, name, kind: isConstant ? 'constant' : 'field', isExported: says(node, 'public') });
  }
  return undefined;
}

function local(node: SyntaxNode, x: Extraction) {
  if (node.parent?.type === 'field_declaration' || node.parent?.type === 'event_field_declaration') return undefined;
  const type = simpleType(node.get('type')?.text);
  for (const one of node.allOf('variable_declarator')) {
    const name = one.get('name');
    const value = one.of('object_creation_expression');
    x.take(name);
    x.local(name?.text ?? '', type === 'var' ? simpleType(value?.get('type')?.text) : type);
  }
  return undefined;
}

function invocation(node: SyntaxNode, x: Extraction) {
  let callee = node.get('function');
  if (callee?.type === 'generic_name') callee = callee.children[0];
  if (callee?.type === 'identifier') x.call(callee);
  if (callee?.type === 'member_access_expression') {
    let name = callee.get('name');
    if (name?.type === 'generic_name') name = name.children[0];
    const text = stringValue(given(node)[0]);
    if (name?.text === 'GetEnvironmentVariable') x.readsEnvironment(variableName(given(node)[0]), node.line);
    const verb = MAP.exec(name?.text ?? '')?.[1];
    if (verb && text !== undefined) x.route(verb, text, node.line);
    x.call(name, callee.get('expression') ?? callee);
  }
  return undefined;
}

function thrown(node: SyntaxNode, x: Extraction) {
  const made = node.of('object_creation_expression');
  if (made) x.error(simpleType(made.get('type')?.text), 'throw', firstString(given(made)) ?? '', node.line);
  return undefined;
}

function using(node: SyntaxNode, x: Extraction) {
  const name = node.of('qualified_name') ?? node.allOf('identifier').at(-1);
  for (const one of node.below()) x.take(one);
  x.import(name?.text.replace(/\s+/g, '') ?? '', node.line, [['*', '*']]);
  return undefined;
}

function namespace(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  x.package = x.package === '' ? (name?.text.replace(/\s+/g, '') ?? '') : x.package;
  x.take(name, ...(name?.below() ?? []));
  return undefined;
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  if (node.type === 'identifier') {
    const meant = x.qualify(node.text);
    return meant === node.text && /^[a-z_]/.test(meant) ? x.fieldOf(x.ownClass, meant) : meant;
  }
  if (node.type === 'object_creation_expression') return simpleType(node.get('type')?.text) || UNKNOWN;
  if (node.type === 'member_access_expression') {
    const owner = node.get('expression');
    const name = node.get('name')?.text ?? '';
    // `this` is a token without a name.
    if (!owner) return x.fieldOf(x.ownClass, name);
    return x.fieldOf(receiver(owner, x), name);
  }
  return /^(?:this|base)/.test(node.type) ? x.ownClass || UNKNOWN : UNKNOWN;
};

export const CSHARP: LanguageRules = {
  names: new Set(['identifier']),
  typeNames: new Set(),
  scopes: new Set([
    'method_declaration',
    'constructor_declaration',
    'local_function_statement',
    'block',
    'lambda_expression',
    'for_statement',
    'foreach_statement',
    'catch_clause',
    'using_statement',
  ]),
  // `this.M()` has no node before the dot: the access itself is given.
  receiver: (node, x) =>
    node.type === 'member_access_expression' && node.parent?.type === 'invocation_expression' && !node.get('expression')
      ? x.ownClass || UNKNOWN
      : receiver(node, x),
  enter: {
    using_directive: using,
    namespace_declaration: namespace,
    file_scoped_namespace_declaration: namespace,
    class_declaration: declare('class'),
    interface_declaration: declare('interface'),
    struct_declaration: declare('struct'),
    record_declaration: declare('record'),
    enum_declaration: declare('enum'),
    method_declaration: method,
    constructor_declaration: method,
    local_function_statement: method,
    property_declaration: (node, x) => {
      x.field(node.get('name')?.text ?? '', simpleType(node.get('type')?.text));
      return x.define({
        node,
        name: node.get('name'),
        kind: 'field',
        isExported: says(node, 'public'),
        body: node.get('accessors', 'value'),
      });
    },
    field_declaration: field,
    enum_member_declaration: (node, x) => {
      x.define({ node, name: node.get('name'), kind: 'constant', isExported: true });
      return undefined;
    },
    variable_declaration: local,
    foreach_statement: (node, x) => {
      x.take(node.get('left'));
      x.local(node.get('left')?.text ?? '', simpleType(node.get('type')?.text));
      return undefined;
    },
    catch_declaration: (node, x) => {
      x.take(node.get('name'));
      x.local(node.get('name')?.text ?? '', simpleType(node.get('type')?.text));
      return undefined;
    },
    lambda_expression: addParameters,
    invocation_expression: invocation,
    object_creation_expression: (node, x) => {
      const type = node.get('type');
      x.call(
        type?.type === 'generic_name' ? type.children[0] : type?.type === 'qualified_name' ? type.get('name') : type,
      );
      return undefined;
    },
    member_access_expression: (node, x) => {
      const name = node.get('name');
      if (name?.type === 'identifier') x.member(name, node.get('expression'));
      return undefined;
    },
    throw_statement: thrown,
    throw_expression: thrown,
    identifier: (node, x) => {
      const kind = baseKinds.get(node);
      if (kind) x.refer(kind, node.text, node.line);
      return undefined;
    },
  },
};
