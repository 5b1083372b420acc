import type { Extraction, LanguageRules } from '../extraction.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';

const VERB = /^(?:get|post|put|patch|delete)$/;
const given = (node: SyntaxNode) => node.get('arguments')?.children ?? [];

function declare(kind: string) {
  return (node: SyntaxNode, x: Extraction) => {
    const name = node.get('name');
    const last = name?.type === 'scope_resolution' ? name.get('name') : name;
    const base = node.get('superclass');
    const parent = base?.children[0]?.type === 'scope_resolution' ? base.children[0].get('name') : base?.children[0];
    x.take(parent);
    if (parent) bases.add(parent);
    return x.define({ node, name: last, kind, isExported: true, body: node.get('body') ?? base });
  };
}

/** Superclasses, recorded when they are visited inside of their class. */
const bases = new WeakSet<SyntaxNode>();

function method(node: SyntaxNode, x: Extraction) {
  return x.define({
    node,
    name: node.get('name'),
    kind: x.ownClass === '' ? 'function' : 'method',
    isExported: true,
    parameters: node.get('parameters'),
  });
}

function assignment(node: SyntaxNode, x: Extraction) {
  const left = node.get('left');
  const right = node.get('right');
  const made =
    right?.type === 'call' && right.get('method')?.text === 'new'
      ? (right.get('receiver')?.text.split('::').at(-1) ?? '')
      : '';
  if (left?.type === 'constant') {
    if (right) x.constant(left.text, right.head(400), node.line);
    x.define({ node, name: left, kind: 'constant', isExported: true });
  } else if (left?.type === 'instance_variable') x.field(left.text, made);
  else if (left?.type === 'identifier') {
    x.take(left);
    x.local(left.text, made);
    if (right?.text === 'ENV') x.environments.add(left.text);
  }
  return undefined;
}

function ownParameters(node: SyntaxNode, x: Extraction) {
  x.addLocals(node);
  return undefined;
}

/** Whether a node is the environment, or a variable of the file that holds it. */
const isEnvironment = (node: SyntaxNode | undefined, x: Extraction) =>
  node?.text === 'ENV' || (node?.type === 'identifier' && x.environments.has(node.text));

function call(node: SyntaxNode, x: Extraction) {
  const name = node.get('method');
  const owner = node.get('receiver');
  const first = given(node)[0];
  const text = stringValue(first);
  if (!name) return undefined;
  if (isEnvironment(owner, x) && /^(?:fetch|key\?|has_key\?|include\?|member\?|dig)$/.test(name.text))
    x.readsEnvironment(variableName(first), node.line, given(node)[1]?.head(200));
  if (!owner) {
    if (/^(?:require|require_relative|load|autoload)$/.test(name.text)) {
      x.take(name);
      const path = name.text === 'autoload' ? stringValue(given(node)[1]) : text;
      if (path !== undefined)
        x.import(name.text === 'require_relative' && !path.startsWith('.') ? `./${path}` : path, node.line, [
          ['*', '*'],
        ]);
      return undefined;
    }
    if (/^(?:include|extend|prepend)$/.test(name.text)) for (const one of given(node)) mixin(one, x);
    if (/^attr_(?:reader|writer|accessor)$/.test(name.text))
      for (const one of given(node))
        if (one.type === 'simple_symbol')
          x.define({ node: one, name: one.text.slice(1), kind: 'field', isExported: true });
    if (/^(?:raise|fail)$/.test(name.text)) raised(node, x);
    if (VERB.test(name.text) && text?.startsWith('/')) x.route(name.text, text, node.line);
  }
  if (name.text === 'new' && owner) x.refer('call', owner.text.split('::').at(-1) ?? '', node.line);
  x.call(name, owner);
  return undefined;
}

function mixin(node: SyntaxNode, x: Extraction): void {
  const name = node.type === 'scope_resolution' ? node.get('name') : node;
  if (name?.type !== 'constant') return;
  x.take(name);
  x.refer('implement', name.text, name.line);
}

function raised(node: SyntaxNode, x: Extraction): void {
  const [first, second] = given(node);
  const made = first?.type === 'call' ? first.get('receiver') : first;
  const name = made && /^(?:constant|scope_resolution)$/.test(made.type) ? made.text : 'RuntimeError';
  const text =
    stringValue(first) ??
    stringValue(second) ??
    (first?.type === 'call' ? stringValue(given(first)[0]) : undefined) ??
    '';
  x.error(name.split('::').at(-1) ?? '', 'raise', text, node.line);
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  switch (node.type) {
    case 'self':
      return x.ownClass || UNKNOWN;
    case 'identifier':
    case 'constant':
      return x.qualify(node.text);
    case 'instance_variable':
      return x.fieldOf(x.ownClass, node.text);
    case 'scope_resolution':
      return node.get('name')?.text ?? UNKNOWN;
    case 'call':
      return node.get('method')?.text === 'new' ? (node.get('receiver')?.text.split('::').at(-1) ?? UNKNOWN) : UNKNOWN;
    default:
      return UNKNOWN;
  }
};

export const RUBY: LanguageRules = {
  names: new Set(['constant', 'identifier']),
  typeNames: new Set(),
  scopes: new Set(['method', 'singleton_method', 'block', 'do_block', 'lambda']),
  hasModuleMethods: true,
  receiver,
  enter: {
    module: declare('module'),
    class: declare('class'),
    method,
    singleton_method: method,
    assignment,
    call,
    block_parameters: ownParameters,
    lambda_parameters: ownParameters,
    optional_parameter: (node, x) => {
      if (node.get('value')?.text === 'ENV') x.environments.add(node.get('name')?.text ?? '');
      return undefined;
    },
    element_reference: (node, x) => {
      const isSet = node.parent?.type === 'assignment' && node.parent.get('left') === node;
      if (isEnvironment(node.get('object'), x) && !isSet) x.readsEnvironment(variableName(node.children[1]), node.line);
      return undefined;
    },
    constant: (node, x) => {
      if (bases.has(node)) x.refer('extend', node.text, node.line);
      return undefined;
    },
    identifier: (node, x) => {
      // A call needs neither parentheses nor arguments.
      if (!x.isTaken(node) && !x.isLocal(node.text) && node.field !== 'name') x.call(node);
      return undefined;
    },
    hash_key_symbol: (node, x) => {
      x.take(node);
      return undefined;
    },
  },
};
