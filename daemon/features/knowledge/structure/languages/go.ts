import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';
import { addParameters } from './common-rules.js';

const HTTP =
  /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|Head|Options|Handle|HandleFunc|Method)$/;

const BUILT_IN = /^(?:string|bool|byte|rune|error|any|u?int(?:8|16|32|64|ptr)?|float(?:32|64)|complex(?:64|128))$/;

const isExported = (name: string | undefined) => /^\p{Lu}/u.test(name ?? '');
const given = (call: SyntaxNode) => call.get('arguments')?.children.filter(({ type }) => type !== 'comment') ?? [];

const HEAD_CHARS = 4_000;
/** Whether a build leaves the file of a top level declaration out: it is a script of its own, run by `go run`. */
const isLeftOut = (node: SyntaxNode) =>
  /^\/\/\s*(?:go:build|\+build)\s+ignore\b/m.test((node.parent?.head(HEAD_CHARS) ?? '').split(/^package\s/m)[0] ?? '');

function functionDeclaration(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const owner = node.get('receiver');
  const type = simpleType(owner?.children[0]?.get('type')?.text);
  if (name?.text === 'main' && x.package === 'main' && !owner && !isLeftOut(node))
    x.entry('main', 'main function', node.line);
  x.addLocals(owner);
  const result = node.get('result');
  if (result?.type === 'parameter_list') x.addLocals(result);
  return x.define({
    node,
    name,
    kind: owner ? 'method' : 'function',
    isExported: isExported(name?.text),
    parameters: node.get('parameters'),
    container: type,
  });
}

function typeSpec(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const type = node.get('type');
  const kind = type?.type === 'struct_type' ? 'struct' : type?.type === 'interface_type' ? 'interface' : 'type';
  const symbol = x.define({
    node,
    name,
    kind,
    isExported: isExported(name?.text),
    body: type?.of('field_declaration_list') ?? type?.children[0],
    outer: findDocumentedNode(node),
  });
  for (const one of type?.of('field_declaration_list')?.children ?? []) {
    for (const field of one.allOf('field_identifier'))
      x.field(field.text, simpleType(one.get('type')?.text), name?.text);
  }
  return symbol;
}

/** The declaration around `node` when that declares nothing else, because a doc comment precedes it. */
const findDocumentedNode = (node: SyntaxNode) => (node.parent?.children.length === 1 ? node.parent : node);

function field(node: SyntaxNode, x: Extraction) {
  const names = node.allOf('field_identifier');
  const embedded = names.length === 0 ? node.get('type') : undefined;
  if (embedded) {
    const name =
      embedded.type === 'qualified_type' ? embedded.get('name') : (embedded.of('type_identifier') ?? embedded);
    x.take(name);
    x.refer('extend', name?.text ?? '', node.line);
  }
  for (const name of names) x.define({ node, name, kind: 'field', isExported: isExported(name.text) });
  return undefined;
}

function interfaceMethod(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  return x.define({
    node,
    name,
    kind: 'method',
    isExported: isExported(name?.text),
    parameters: node.get('parameters'),
  });
}

function interfaceElement(node: SyntaxNode, x: Extraction) {
  const name = node.parent?.type === 'interface_type' ? node.of('type_identifier') : undefined;
  x.take(name);
  if (name) x.refer('extend', name.text, node.line);
  return undefined;
}

function variable(kind: 'constant' | 'variable') {
  return (node: SyntaxNode, x: Extraction) => {
    const names = node.allOf('identifier').filter(({ field }) => field === 'name');
    const values = node.get('value')?.children ?? [];
    const type = simpleType(node.get('type')?.text);
    names.forEach((name, index) => {
      x.take(name);
      const value = values[index];
      if (x.isInFunction) {
        x.local(name.text, type || typeOfValue(value));
        return;
      }
      x.fileVariable(name.text, type || typeOfValue(value));
      if (value && value.type !== 'call_expression') x.constant(name.text, value.head(400), name.line);
      const call = value?.type === 'call_expression' ? value : undefined;
      if (call && /^(?:errors\.New|fmt\.Errorf)$/.test(call.get('function')?.head(20) ?? ''))
        x.error(name.text, 'define', stringValue(given(call)[0]) ?? '', name.line);
      x.define({
        node,
        name,
        kind,
        isExported: isExported(name.text),
        body: undefined,
        outer: findDocumentedNode(node),
      });
    });
    return undefined;
  };
}

function shortVariable(node: SyntaxNode, x: Extraction) {
  const names = node.get('left')?.children ?? [];
  const values = node.get('right')?.children ?? [];
  names.forEach((name, index) => {
    if (name.type !== 'identifier') return;
    x.take(name);
    x.local(name.text, index === 0 || values.length > 1 ? typeOfValue(values[index]) : '');
  });
  return undefined;
}

/** `T{}`, `&T{}`, `new(T)`, and by the custom of the language `NewT()`. */
function typeOfValue(value: SyntaxNode | undefined): string {
  if (value?.type === 'unary_expression') return typeOfValue(value.get('operand'));
  if (value?.type === 'composite_literal') return simpleType(value.get('type')?.text);
  if (value?.type === 'type_assertion_expression') return simpleType(value.get('type')?.text);
  const callee = value?.type === 'call_expression' ? value.get('function') : undefined;
  if (callee?.text === 'new' && value) return simpleType(given(value)[0]?.text);
  const name = callee?.type === 'selector_expression' ? callee.get('field')?.text : callee?.text;
  return /^[Nn]ew([A-Z]\w*)$/.exec(name ?? '')?.[1] ?? '';
}

function call(node: SyntaxNode, x: Extraction) {
  const callee = node.get('function');
  const arguments_ = given(node);
  const text = stringValue(arguments_[0]);
  if (/^os\.(?:Getenv|LookupEnv)$|^syscall\.Getenv$/.test(callee?.head(20) ?? ''))
    x.readsEnvironment(variableName(arguments_[0]), node.line);
  if (callee?.type === 'identifier') x.call(callee);
  if (callee?.type === 'selector_expression') {
    const name = callee.get('field');
    if (name && HTTP.test(name.text) && arguments_.length > 1) {
      const method = name.text === 'Method' ? (text ?? 'ANY') : /^Handle|^Any/.test(name.text) ? 'ANY' : name.text;
      const path = name.text === 'Method' ? stringValue(arguments_[1]) : text;
      const [verb, rest] = /^([A-Z]+) (\/\S*)$/.exec(path ?? '')?.slice(1) ?? [method, path];
      if (rest?.startsWith('/')) x.route(verb ?? method, rest, node.line, arguments_.at(-1)?.head(80).split('\n')[0]);
    }
    x.call(name, callee.get('operand'));
  }
  return undefined;
}

function selector(node: SyntaxNode, x: Extraction) {
  x.member(node.get('field'), node.get('operand'));
  return undefined;
}

function returned(node: SyntaxNode, x: Extraction) {
  for (const one of node.children[0]?.children ?? []) {
    const callee = one.type === 'call_expression' ? one.get('function')?.head(20) : undefined;
    if (callee === 'errors.New' || callee === 'fmt.Errorf')
      x.error(callee, 'return', stringValue(given(one)[0]) ?? '', one.line);
  }
  return undefined;
}

function importSpec(node: SyntaxNode, x: Extraction) {
  const path = stringValue(node.get('path')) ?? '';
  const name = node.get('name');
  x.take(name);
  const last =
    path
      .split('/')
      .filter((part) => !/^v\d+$/.test(part))
      .at(-1) ?? '';
  x.import(path, node.line, [['*', name?.text ?? last.replace(/^go-|\.go$|\.v\d+$/g, '')]]);
  return undefined;
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  if (node.type === 'identifier') return x.qualify(node.text);
  if (node.type === 'parenthesized_expression' || node.type === 'unary_expression')
    return node.children[0] ? receiver(node.children[0], x) : UNKNOWN;
  if (node.type === 'selector_expression') {
    const owner = node.get('operand');
    const name = node.get('field')?.text ?? '';
    if (!owner) return UNKNOWN;
    const before = receiver(owner, x);
    return owner.type === 'identifier' && before === owner.text ? name : x.fieldOf(before, name);
  }
  return typeOfValue(node) || UNKNOWN;
};

export const GO: LanguageRules = {
  names: new Set(['identifier']),
  typeNames: new Set(['type_identifier']),
  scopes: new Set([
    'function_declaration',
    'method_declaration',
    'func_literal',
    'block',
    'for_statement',
    'if_statement',
    'method_elem',
    'function_type',
    'expression_case',
    'type_case',
    'communication_case',
  ]),
  receiver,
  enter: {
    type_identifier: (node, x) => {
      if (BUILT_IN.test(node.text)) x.take(node);
      return undefined;
    },
    package_clause: (node, x) => {
      x.package = node.children[0]?.text ?? '';
      x.isModule = true;
      return undefined;
    },
    import_spec: importSpec,
    function_declaration: functionDeclaration,
    method_declaration: functionDeclaration,
    type_spec: typeSpec,
    type_alias: typeSpec,
    field_declaration: field,
    method_elem: interfaceMethod,
    method_spec: interfaceMethod,
    type_elem: interfaceElement,
    const_spec: variable('constant'),
    var_spec: variable('variable'),
    short_var_declaration: shortVariable,
    range_clause: shortVariable,
    type_switch_statement: (node, x) => {
      for (const one of node.get('alias')?.children ?? []) {
        x.take(one);
        x.local(one.text);
      }
      return undefined;
    },
    func_literal: addParameters,
    function_type: addParameters,
    receive_statement: (node, x) =>
      /:=\s*$/.test(node.before(node.get('right'))) ? shortVariable(node, x) : undefined,
    call_expression: call,
    selector_expression: selector,
    return_statement: returned,
    keyed_element: (node, x) => {
      // The key of a struct literal is a field, which is no name of its own.
      const key = node.children[0];
      x.take(key?.type === 'literal_element' ? key.children[0] : key);
      return undefined;
    },
  },
};
