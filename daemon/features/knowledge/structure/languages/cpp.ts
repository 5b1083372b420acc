import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { addParameters } from './common-rules.js';
import { declared, functionDeclarator } from './cpp-declarators.js';

const given = (call: SyntaxNode) => call.get('arguments')?.children.filter(({ type }) => type !== 'comment') ?? [];
const isStatic = (node: SyntaxNode) => node.allOf('storage_class_specifier').some((one) => one.text === 'static');

/** Whether code is compiled only when it is asked for, as the test of a file in itself is. */
function isConditional(node: SyntaxNode): boolean {
  const around = node.within('preproc_ifdef', 'preproc_if');
  if (!around) return false;
  return /^#\s*if(?:def)?\b[^\n]*(?:TEST|BENCH|EXAMPLE|DEMO|\b0\s*$)/m.test(around.head(120)) || isConditional(around);
}

function functionDefinition(node: SyntaxNode, x: Extraction) {
  const declarator = functionDeclarator(node.get('declarator'));
  const { name, container } = declared(declarator?.get('declarator'));
  if (!declarator || !name) return undefined;
  if (name.text === 'main' && container === '' && x.ownClass === '' && !isConditional(node))
    x.entry('main', 'main function', node.line);
  const outer = node.parent?.type === 'template_declaration' ? node.parent : node;
  const owner = container.split('.').at(-1) || x.ownClass;
  const isMethod = owner !== '';
  const symbol = x.define({
    node,
    name,
    kind: isMethod ? 'method' : 'function',
    isExported: !isStatic(node),
    parameters: declarator.get('parameters'),
    outer,
    container,
  });
  if (isMethod) x.local('this', owner);
  return symbol;
}

function declaration(node: SyntaxNode, x: Extraction) {
  const type = simpleType(node.get('type')?.text);
  const value = node.get('default_value');
  for (const one of node.children.filter(({ field }) => field === 'declarator')) {
    const called = functionDeclarator(one);
    // In a function, `T name(1)` is a variable; at the top it is a function that is declared.
    if (called && !x.isInFunction) {
      const { name, container } = declared(called.get('declarator'));
      const kind = x.ownClass !== '' ? 'method' : 'function';
      x.define({
        node,
        name,
        kind,
        isExported: !isStatic(node),
        isDeclaration: true,
        shown: called.get('parameters'),
        container,
        body: undefined,
      });
      for (const inner of called.get('parameters')?.below() ?? []) if (inner.type === 'identifier') x.take(inner);
      continue;
    }
    const { name } = declared(one);
    if (!name || x.isTaken(name)) continue;
    if (x.isInFunction) {
      x.take(name);
      x.local(name.text, type);
      continue;
    }
    variable(node, name, type, one.get('value') ?? value, x);
  }
  return undefined;
}

function variable(
  node: SyntaxNode,
  name: SyntaxNode,
  type: string,
  value: SyntaxNode | undefined,
  x: Extraction,
): void {
  const isField = x.ownClass !== '';
  if (isField) x.field(name.text, type);
  else x.fileVariable(name.text, type);
  const said = node.before(name);
  const isConstant = /\b(?:const|constexpr|static)\b/.test(said);
  if (isConstant && value) x.constant(name.text, value.head(400), name.line);
  x.define({
    node,
    name,
    kind: isField ? 'field' : /\bconst(?:expr)?\b/.test(said) ? 'constant' : 'variable',
    isExported: !/\bstatic\b/.test(said),
    isDeclaration: /^\s*extern\b/.test(said) && value === undefined,
    body: value,
  });
}

function typeSpecifier(kind: string) {
  return (node: SyntaxNode, x: Extraction) => {
    const name = node.get('name');
    const body = node.get('body');
    if (!body) {
      // `struct s *p` uses the type, `struct s;` declares it.
      if (node.parent?.type === 'translation_unit') x.take(name);
      return undefined;
    }
    // A type without a name has the one of the typedef around it.
    const alias = node.parent?.type === 'type_definition' ? declared(node.parent.get('declarator')).name : undefined;
    const outer = /^(?:template_declaration|type_definition)$/.test(node.parent?.type ?? '') ? node.parent : node;
    return x.define({
      node,
      name: name?.type === 'qualified_identifier' ? name.children.at(-1) : (name ?? alias),
      kind,
      isExported: true,
      body,
      outer,
    });
  };
}

function typeDefinition(node: SyntaxNode, x: Extraction) {
  const type = node.get('type');
  for (const one of node.children.filter(({ field }) => field === 'declarator')) {
    const { name } = declared(one);
    if (!name) continue;
    if (type?.get('body') && !type.get('name')) x.take(name);
    else x.define({ node, name, kind: 'type', isExported: true, body: type?.get('body') });
  }
  return undefined;
}

function macro(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const value = node.get('value');
  const parameters = node.get('parameters');
  if (name && value && !parameters) x.constant(name.text, value.head(400), node.line, '');
  for (const one of parameters?.children ?? []) x.take(one);
  x.define({ node, name, kind: 'macro', isExported: true, shown: parameters, body: parameters ? value : undefined });
  if (value) callsInMacro(value, new Set(parameters?.children.map(({ text }) => text)), x);
  return undefined;
}

const MACRO_MAX_CHARS = 4_000;
const KEYWORDS = new Set('if while for switch return sizeof defined do else alignof typeof __attribute__'.split(' '));

/** The body of a macro is no syntax tree: a name right before a parenthesis is taken as a call. */
function callsInMacro(body: SyntaxNode, parameters: ReadonlySet<string>, x: Extraction): void {
  const code = body
    .head(MACRO_MAX_CHARS)
    .replaceAll(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*/g, (text) => text.replaceAll(/[^\n]/g, ' '));
  let [line, from] = [body.line, 0];
  for (const found of code.matchAll(/(?<![\w.>#])[A-Za-z_]\w*(?=\s*\()/g)) {
    line += code.slice(from, found.index).split('\n').length - 1;
    from = found.index;
    if (!parameters.has(found[0]) && !KEYWORDS.has(found[0])) x.refer('call', found[0], line);
  }
}

function call(node: SyntaxNode, x: Extraction) {
  let callee = node.get('function');
  if (callee?.type === 'template_function') callee = callee.get('name');
  if (/^(?:std::)?(?:secure_)?getenv$/.test(callee?.head(20) ?? ''))
    x.readsEnvironment(variableName(given(node)[0]), node.line);
  if (callee?.type === 'identifier') x.call(callee);
  if (callee?.type === 'field_expression') {
    const name = callee.get('field');
    x.call(name?.type === 'template_method' ? name.get('name') : name, callee.get('argument'));
  }
  if (callee?.type === 'qualified_identifier') {
    let last: SyntaxNode | undefined = callee;
    let scope: SyntaxNode | undefined;
    for (let step = 0; last?.type === 'qualified_identifier' && step < 20; step += 1) {
      scope = last.get('scope') ?? scope;
      last = last.get('name');
    }
    if (last?.type === 'template_function') last = last.get('name');
    x.call(last, scope);
  }
  return undefined;
}

function bases(node: SyntaxNode, x: Extraction) {
  for (const one of node.children) {
    let name: SyntaxNode | undefined = one;
    for (let step = 0; name && name.children.length > 0 && step < 10; step += 1)
      name = name.get('name') ?? name.of('type_identifier');
    if (name?.type !== 'type_identifier') continue;
    x.take(name);
    x.refer('extend', name.text, name.line);
  }
  return undefined;
}

function thrown(node: SyntaxNode, x: Extraction) {
  const made = node.children[0];
  const name = made?.get('function', 'type');
  const text = [...(made?.below() ?? [])]
    .map((one) => (one.type === 'string_literal' ? stringValue(one) : undefined))
    .find((one) => one !== undefined);
  if (name) x.error(simpleType(name.text), 'throw', text ?? '', node.line);
  return undefined;
}

/** `return -ENOMEM` and `return ERR_X`. */
function returned(node: SyntaxNode, x: Extraction) {
  const code = /^return\s+-?\s*((?:E[A-Z]{3,}|[A-Z][A-Z0-9]*_(?:ERR|ERROR)[A-Z0-9_]*|ERR_[A-Z0-9_]+))\s*;?$/.exec(
    node.head(80),
  )?.[1];
  if (code) x.error(code, 'return', '', node.line);
  return undefined;
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  switch (node.type) {
    case 'this':
      return x.qualify('this') === 'this' ? x.ownClass || UNKNOWN : x.qualify('this');
    case 'identifier':
    case 'namespace_identifier':
    case 'type_identifier':
      return x.qualify(node.text);
    case 'template_type':
      return simpleType(node.text) || UNKNOWN;
    case 'field_expression': {
      const owner = node.get('argument');
      return owner ? x.fieldOf(receiver(owner, x), node.get('field')?.text ?? '') : UNKNOWN;
    }
    case 'parenthesized_expression':
    case 'pointer_expression':
      return node.children[0] ? receiver(node.children[0], x) : UNKNOWN;
    default:
      return UNKNOWN;
  }
};

export const CPP: LanguageRules = {
  names: new Set(['identifier']),
  typeNames: new Set(['type_identifier']),
  scopes: new Set([
    'function_definition',
    'compound_statement',
    'lambda_expression',
    'for_statement',
    'for_range_loop',
    'catch_clause',
    'preproc_function_def',
    'template_declaration',
  ]),
  receiver,
  enter: {
    preproc_include: (node, x) => {
      const path = node.get('path')?.text.replace(/^["<]|[">]$/g, '') ?? '';
      x.import(path, node.line, [['*', '*']]);
      return undefined;
    },
    preproc_def: macro,
    preproc_function_def: macro,
    namespace_definition: (node, x) =>
      x.define({ node, name: node.get('name')?.text.split('::').at(-1), kind: 'module', isDeclaration: true }),
    function_definition: functionDefinition,
    declaration,
    field_declaration: declaration,
    class_specifier: typeSpecifier('class'),
    struct_specifier: typeSpecifier('struct'),
    union_specifier: typeSpecifier('struct'),
    enum_specifier: typeSpecifier('enum'),
    type_definition: typeDefinition,
    alias_declaration: (node, x) => {
      x.define({ node, name: node.get('name'), kind: 'type', isExported: true });
      return undefined;
    },
    enumerator: (node, x) => {
      const name = node.get('name');
      if (name && node.get('value')) x.constant(name.text, node.get('value')?.head(200), node.line);
      x.define({ node, name, kind: 'constant', isExported: true, body: undefined });
      return undefined;
    },
    type_parameter_declaration: (node, x) => {
      x.take(node.of('type_identifier'));
      return undefined;
    },
    base_class_clause: bases,
    call_expression: call,
    new_expression: (node, x) => {
      const type = node.get('type');
      x.call(
        type?.type === 'template_type'
          ? type.get('name')
          : type?.type === 'qualified_identifier'
            ? type.get('name')
            : type,
      );
      return undefined;
    },
    lambda_expression: (node, x) => {
      x.addLocals(node.get('declarator')?.get('parameters'));
      return undefined;
    },
    for_range_loop: (node, x) => {
      const { name } = declared(node.get('declarator'));
      x.take(name);
      x.local(name?.text ?? '', simpleType(node.get('type')?.text));
      return undefined;
    },
    catch_clause: addParameters,
    destructor_name: (node, x) => {
      x.take(...node.children);
      return undefined;
    },
    throw_statement: thrown,
    return_statement: returned,
  },
};
