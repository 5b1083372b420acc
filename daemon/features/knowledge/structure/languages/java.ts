import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { addParameters, enumMember } from './common-rules.js';

const MAPPING = /^(Get|Post|Put|Patch|Delete|Request)Mapping$|^(GET|POST|PUT|PATCH|DELETE|Path)$/;

const modifiers = (node: SyntaxNode) => node.of('modifiers')?.head(400) ?? '';
const given = (node: SyntaxNode) => node.get('arguments')?.children.filter(({ type }) => !/comment/.test(type)) ?? [];

function declare(kind: string) {
  return (node: SyntaxNode, x: Extraction) =>
    x.define({
      node,
      name: node.get('name'),
      kind,
      isExported: /\bpublic\b/.test(modifiers(node)),
      shown: node.get('parameters'),
    });
}

function method(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const said = modifiers(node);
  if (name?.text === 'main' && /\bstatic\b/.test(said)) x.entry(x.ownClass, 'main method', node.line);
  for (const one of node.of('modifiers')?.allOf('annotation', 'marker_annotation') ?? []) route(one, node, x);
  return x.define({
    node,
    name,
    kind: 'method',
    isExported: !/\bprivate\b/.test(said),
    parameters: node.get('parameters'),
  });
}

/** Spring's `@GetMapping("/x")` and the annotations of JAX-RS, with the path of the class before it. */
function route(annotation: SyntaxNode, node: SyntaxNode, x: Extraction): void {
  const name = annotation.get('name')?.text ?? '';
  const verb = MAPPING.exec(name);
  if (
    !verb ||
    (name === 'Path' &&
      node
        .of('modifiers')
        ?.allOf('marker_annotation')
        .some((one) => MAPPING.test(one.get('name')?.text ?? '')))
  )
    return;
  const owner = node.within('class_declaration', 'interface_declaration');
  const outer = owner
    ?.of('modifiers')
    ?.allOf('annotation')
    .find((one) => /^(?:RequestMapping|Path)$/.test(one.get('name')?.text ?? ''));
  const own =
    name === 'Path' || verb[1]
      ? annotation
      : node
          .of('modifiers')
          ?.allOf('annotation')
          .find((one) => one.get('name')?.text === 'Path');
  const path = `/${[outer, own].map((one) => readPath(one)).join('/')}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
  const method = /\bRequestMethod\.(\w+)/.exec(annotation.head(300))?.[1];
  x.route(
    method ?? (/^(?:Request|Path)/.test(name) ? 'ANY' : (verb[1] ?? verb[2] ?? 'ANY')),
    path,
    annotation.line,
    node.get('name')?.text,
  );
}

function readPath(annotation: SyntaxNode | undefined): string {
  for (const one of annotation?.get('arguments')?.below() ?? []) {
    const key = one.parent?.type === 'element_value_pair' ? one.parent.get('key')?.text : 'value';
    if (one.type === 'string_literal' && /^(?:value|path)$/.test(key ?? '')) return stringValue(one) ?? '';
  }
  return '';
}

function field(node: SyntaxNode, x: Extraction) {
  const type = simpleType(node.get('type')?.text);
  const said = modifiers(node);
  const isConstant = node.type === 'constant_declaration' || /\bfinal\b/.test(said);
  for (const one of node.allOf('variable_declarator')) {
    const name = one.get('name');
    const value = one.get('value');
    if (!name) continue;
    x.field(name.text, type);
    if (isConstant && value && !/creation|invocation|lambda/.test(value.type))
      x.constant(name.text, value.head(400), one.line);
    x.define({
      node,
      name,
      kind: isConstant && /\bstatic\b/.test(said) ? 'constant' : 'field',
      isExported: !/\bprivate\b/.test(said),
      body: undefined,
    });
  }
  return undefined;
}

function localVariable(node: SyntaxNode, x: Extraction) {
  const type = simpleType(node.get('type')?.text);
  for (const one of node.type === 'local_variable_declaration' ? node.allOf('variable_declarator') : [node]) {
    const name = one.get('name');
    const value = one.get('value');
    x.take(name);
    x.local(name?.text ?? '', type === 'var' ? simpleType(value?.get('type')?.text) : type);
  }
  return undefined;
}

function invocation(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const owner = node.get('object');
  const isRead = name?.text === 'getenv' && owner?.text === 'System';
  // The map of all variables, of which one is taken.
  const isTaken = owner?.head(20) === 'System.getenv()' && /^(?:get|getOrDefault|containsKey)$/.test(name?.text ?? '');
  if (isRead || isTaken) x.readsEnvironment(variableName(given(node)[0]), node.line);
  x.call(name, owner);
  return undefined;
}

function creation(node: SyntaxNode, x: Extraction) {
  const type = node.get('type');
  const name = type?.type === 'generic_type' ? type.children[0] : type;
  const last = name?.type === 'scoped_type_identifier' ? name.children.at(-1) : name;
  x.call(last);
  return undefined;
}

function thrown(node: SyntaxNode, x: Extraction) {
  const made = node.of('object_creation_expression');
  const text =
    made &&
    given(made)
      .map((one) => stringValue(one) ?? (one.type === 'binary_expression' ? stringValue(one.get('left')) : undefined))
      .find((one) => one !== undefined);
  if (made) x.error(simpleType(made.get('type')?.text), 'throw', text ?? '', node.line);
  return undefined;
}

function importDeclaration(node: SyntaxNode, x: Extraction) {
  const path = node.of('scoped_identifier', 'identifier');
  for (const one of node.below()) x.take(one);
  const name = path?.text ?? '';
  const isAll = node.of('asterisk') !== undefined;
  x.import(isAll ? `${name}.*` : name, node.line, [
    isAll ? ['*', '*'] : [name.split('.').at(-1) ?? '', name.split('.').at(-1) ?? ''],
  ]);
  return undefined;
}

function heritage(kind: 'extend' | 'implement') {
  return (node: SyntaxNode, x: Extraction) => {
    for (const one of node.of('type_list')?.children ?? node.children) {
      const name = one.type === 'generic_type' ? one.of('type_identifier', 'scoped_type_identifier') : one;
      const last = name?.type === 'scoped_type_identifier' ? name.children.at(-1) : name;
      x.take(last);
      if (last) x.refer(kind, last.text, last.line);
    }
    return undefined;
  };
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  switch (node.type) {
    case 'this':
    case 'super':
      return x.ownClass || UNKNOWN;
    case 'identifier': {
      const meant = x.qualify(node.text);
      // A field needs no `this` before it.
      return meant === node.text && /^[a-z]/.test(meant) ? x.fieldOf(x.ownClass, meant) : meant;
    }
    case 'field_access': {
      const owner = node.get('object');
      const name = node.get('field')?.text ?? '';
      return /^[A-Z]/.test(name) ? name : owner ? x.fieldOf(receiver(owner, x), name) : UNKNOWN;
    }
    case 'object_creation_expression':
    case 'cast_expression':
      return simpleType(node.get('type')?.text) || UNKNOWN;
    case 'parenthesized_expression':
      return node.children[0] ? receiver(node.children[0], x) : UNKNOWN;
    default:
      return UNKNOWN;
  }
};

export const JAVA: LanguageRules = {
  names: new Set(['identifier']),
  typeNames: new Set(['type_identifier']),
  scopes: new Set([
    'method_declaration',
    'constructor_declaration',
    'compact_constructor_declaration',
    'block',
    'lambda_expression',
    'for_statement',
    'enhanced_for_statement',
    'catch_clause',
    'try_with_resources_statement',
  ]),
  receiver,
  enter: {
    package_declaration: (node, x) => {
      x.package = node.of('scoped_identifier', 'identifier')?.text ?? '';
      for (const one of node.below()) x.take(one);
      return undefined;
    },
    import_declaration: importDeclaration,
    class_declaration: declare('class'),
    interface_declaration: declare('interface'),
    annotation_type_declaration: declare('interface'),
    enum_declaration: declare('enum'),
    record_declaration: declare('record'),
    method_declaration: method,
    constructor_declaration: method,
    annotation_type_element_declaration: method,
    field_declaration: field,
    constant_declaration: field,
    enum_constant: enumMember,
    local_variable_declaration: localVariable,
    enhanced_for_statement: localVariable,
    resource: localVariable,
    catch_formal_parameter: localVariable,
    lambda_expression: addParameters,
    method_invocation: invocation,
    object_creation_expression: creation,
    method_reference: (node, x) => {
      const name = node.children.at(-1);
      if (name?.type === 'identifier' && node.children.length > 1) x.member(name, node.children[0]);
      return undefined;
    },
    field_access: (node, x) => {
      x.member(node.get('field'), node.get('object'));
      return undefined;
    },
    throw_statement: thrown,
    superclass: heritage('extend'),
    extends_interfaces: heritage('extend'),
    super_interfaces: heritage('implement'),
  },
};
