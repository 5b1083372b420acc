import type { Extraction, LanguageRules } from '../extraction.js';
import { simpleType } from '../parameters.js';
import { stringValue, UNKNOWN, variableName } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';

const METHODS = /^(?:route|get|post|put|patch|delete|head|options|websocket|api_route)$/;

const given = (call: SyntaxNode) => call.get('arguments')?.children.filter(({ type }) => type !== 'comment') ?? [];
const keyword = (call: SyntaxNode, name: string) =>
  given(call)
    .find((one) => one.type === 'keyword_argument' && one.get('name')?.text === name)
    ?.get('value');

const getDecoratedNode = (node: SyntaxNode) => (node.parent?.type === 'decorated_definition' ? node.parent : node);

function functionDefinition(node: SyntaxNode, x: Extraction) {
  const name = node.get('name');
  const isMethod = x.ownClass !== '' && node.parent?.parent?.type !== 'function_definition';
  const outer = getDecoratedNode(node);
  for (const one of outer === node ? [] : outer.allOf('decorator')) decorator(one, name?.text ?? '', x);
  const symbol = x.define({
    node,
    name,
    kind: isMethod ? 'method' : 'function',
    isExported: !name?.text.startsWith('_'),
    parameters: node.get('parameters'),
    outer,
  });
  const owner = x.ownClass;
  for (const one of ['self', 'cls']) if (isMethod) x.local(one, owner);
  return symbol;
}

function decorator(node: SyntaxNode, handler: string, x: Extraction): void {
  const call = node.of('call');
  const name = call?.get('function');
  if (!call || name?.type !== 'attribute') return;
  const method = name.get('attribute')?.text ?? '';
  const path = stringValue(given(call)[0]) ?? stringValue(keyword(call, 'path')) ?? stringValue(keyword(call, 'rule'));
  if (path === undefined || !METHODS.test(method) || !/^\/|^$/.test(path)) return;
  const methods =
    keyword(call, 'methods')
      ?.children.map((one) => stringValue(one) ?? '')
      .filter((one) => one !== '') ?? [];
  const plain = method === 'route' || method === 'api_route' ? 'GET' : method;
  x.route(methods.length > 0 ? methods.join(', ') : plain, path, node.line, handler);
}

function classDefinition(node: SyntaxNode, x: Extraction) {
  const outer = getDecoratedNode(node);
  const bases: SyntaxNode[] = [];
  for (const one of node.get('superclasses')?.children ?? []) {
    const plain = one.type === 'subscript' ? one.get('value') : one;
    const name =
      plain?.type === 'attribute' ? plain.get('attribute') : plain?.type === 'identifier' ? plain : undefined;
    if (name) bases.push(name);
  }
  const name = node.get('name');
  const symbol = x.define({ node, name, kind: 'class', isExported: !name?.text.startsWith('_'), outer });
  x.take(...bases);
  for (const base of bases) pendingBases.set(base, node);
  return symbol;
}

/** Base classes are recorded when they are visited, inside of the class that they belong to. */
const pendingBases = new WeakMap<SyntaxNode, SyntaxNode>();

function assignment(node: SyntaxNode, x: Extraction) {
  const left = node.get('left');
  const right = node.get('right');
  const type = simpleType(node.get('type')?.text) || getConstructedType(right, x);
  if (left?.type === 'attribute' && left.get('object')?.text === 'self') {
    const known = right?.type === 'identifier' ? x.qualify(right.text) : '';
    x.field(left.get('attribute')?.text ?? '', type || (/^[A-Z]/.test(known) ? known : ''));
    return undefined;
  }
  const names =
    left?.type === 'identifier'
      ? [left]
      : left && /pattern|tuple|list/.test(left.type)
        ? [...left.below()].filter((one) => one.type === 'identifier')
        : [];
  if (right && isEnvironment(right, x)) for (const name of names) x.environments.add(name.text);
  for (const name of names) {
    x.take(name);
    if (x.isInFunction) x.local(name.text, names.length === 1 ? type : '');
    else declare(name, names.length === 1 ? right : undefined, type, node, x);
  }
  return undefined;
}

function declare(name: SyntaxNode, value: SyntaxNode | undefined, type: string, node: SyntaxNode, x: Extraction): void {
  const isConstant = /^_*[A-Z][A-Z0-9_]*$/.test(name.text);
  if (value) x.constant(name.text, value.head(400), name.line);
  if (isConstant) x.strings(name.text, value);
  if (x.ownClass !== '') x.field(name.text, type);
  else x.fileVariable(name.text, type);
  const kind = x.ownClass !== '' ? 'field' : isConstant ? 'constant' : 'variable';
  x.define({ node, name, kind, isExported: !name.text.startsWith('_'), outer: node.parent ?? node });
}

/** `Name(...)` makes a `Name`. */
function getConstructedType(value: SyntaxNode | undefined, x: Extraction): string {
  const callee = value?.type === 'call' ? value.get('function') : undefined;
  const name = callee?.type === 'attribute' ? callee.get('attribute')?.text : callee?.text;
  if (name === undefined || !/^_*[A-Z]\w*$/.test(name)) {
    const owner = callee?.type === 'attribute' ? callee.get('object') : undefined;
    return owner?.type === 'identifier' && /^[A-Z]\w*[a-z]/.test(owner.text) ? owner.text : '';
  }
  return callee?.type === 'identifier' ? x.qualify(name) : name;
}

function call(node: SyntaxNode, x: Extraction) {
  const callee = node.get('function');
  const written = callee?.head(40) ?? '';
  const [owner = ''] = written.split('.');
  const isEnvironment = x.environments.has(owner) && /^\w+\.get$/.test(written);
  if (isEnvironment || (/^(?:os\.)?(?:getenv|environ\.(?:get|pop|setdefault))$/.test(written) && !x.isLocal(owner)))
    x.readsEnvironment(variableName(given(node)[0]), node.line, given(node)[1]?.head(200));
  if (callee?.type === 'identifier') x.call(callee);
  else if (callee?.type === 'attribute') x.call(callee.get('attribute'), callee.get('object'));
  return undefined;
}

function attribute(node: SyntaxNode, x: Extraction) {
  x.member(node.get('attribute'), node.get('object'));
  return undefined;
}

/** Whether a node is the environment. `environ` alone may be what a server is given with a request. */
function isEnvironment(node: SyntaxNode | undefined, x: Extraction): boolean {
  const text = node?.head(20) ?? '';
  return text === 'os.environ' || (text === 'environ' && !x.isLocal(text)) || x.environments.has(text);
}

/** `def read(env=os.environ)`. */
function environmentByDefault(node: SyntaxNode, x: Extraction) {
  if (isEnvironment(node.get('value'), x)) x.environments.add(node.get('name')?.text ?? '');
  return undefined;
}

/** `"LAMP" in os.environ` looks the variable up. */
function comparison(node: SyntaxNode, x: Extraction) {
  const [left, right] = node.children;
  if (isEnvironment(right, x)) x.readsEnvironment(variableName(left), node.line);
  return undefined;
}

function subscript(node: SyntaxNode, x: Extraction) {
  if (isEnvironment(node.get('value'), x) && !isWritten(node))
    x.readsEnvironment(variableName(node.get('subscript')), node.line);
  return undefined;
}

const isWritten = (node: SyntaxNode) =>
  node.parent?.type === 'delete_statement' || (node.parent?.type === 'assignment' && node.parent.get('left') === node);

const dotted = (node: SyntaxNode | undefined) => node?.text.replace(/\s+/g, '') ?? '';

function importPlain(node: SyntaxNode, x: Extraction) {
  for (const one of node.children) {
    const name = one.type === 'aliased_import' ? one.get('name') : one;
    const alias = one.get('alias');
    x.take(...(name?.children ?? []), alias);
    x.import(dotted(name), one.line, [['*', alias?.text ?? dotted(name)]]);
  }
  return undefined;
}

function importFrom(node: SyntaxNode, x: Extraction) {
  const from = node.get('module_name');
  const names: [string, string][] = [];
  for (const one of node.children) {
    if (one.type === 'wildcard_import') names.push(['*', '*']);
    if (one.field !== 'name') continue;
    const name = one.type === 'aliased_import' ? one.get('name') : one;
    const alias = one.get('alias');
    x.take(...(name?.children ?? []), alias);
    names.push([dotted(name), alias?.text ?? dotted(name)]);
  }
  for (const one of from?.below() ?? []) x.take(one);
  x.import(dotted(from), node.line, names);
  return undefined;
}

function raised(node: SyntaxNode, x: Extraction) {
  const made = node.children[0];
  if (!made) return undefined;
  const callee = made.type === 'call' ? made.get('function') : made;
  const words =
    made.type === 'call'
      ? given(made).map((one) => stringValue(one) ?? (one.type === 'string' ? one.head(200) : ''))
      : [];
  if (callee && /^(?:identifier|attribute)$/.test(callee.type))
    x.error(callee.text.split('.').at(-1) ?? '', 'raise', words.filter((one) => one !== '').join(': '), node.line);
  return undefined;
}

function locals(field: string) {
  return (node: SyntaxNode, x: Extraction) => {
    const target = node.get(field);
    for (const one of target ? [target, ...target.below()] : [])
      if (one.type === 'identifier') {
        x.take(one);
        if (x.isInFunction) x.local(one.text);
      }
    if (field === 'parameters') x.addLocals(target);
    const first = target?.type === 'identifier' ? target : target?.of('identifier');
    if (field === 'left' && first) x.runsThrough(first.text, node.get('right'));
    return undefined;
  };
}

/** The names of a comprehension stand behind the expression that uses them. */
function comprehension(node: SyntaxNode, x: Extraction) {
  for (const one of node.allOf('for_in_clause')) locals('left')(one, x);
  return undefined;
}

function mainGuard(node: SyntaxNode, x: Extraction) {
  const condition = node.get('condition');
  if (condition && /^__name__\s*==\s*["']__main__["']$/.test(condition.head(40)))
    x.entry('__main__', 'script', node.line);
  return undefined;
}

const receiver = (node: SyntaxNode, x: Extraction): string => {
  if (node.type === 'identifier') return x.qualify(node.text);
  if (node.type === 'call') {
    const callee = node.get('function');
    if (callee?.text === 'super') return x.ownClass || UNKNOWN;
    return getConstructedType(node, x) || UNKNOWN;
  }
  if (node.type === 'attribute') {
    const owner = node.get('object');
    const name = node.get('attribute')?.text ?? '';
    if (!owner) return UNKNOWN;
    // A dotted module keeps its last name, which is how its file is called.
    const before = receiver(owner, x);
    if (owner.type === 'identifier' && before === owner.text && owner.text !== 'self') return name;
    return /^[A-Z]/.test(name) ? name : x.fieldOf(before, name);
  }
  return UNKNOWN;
};

export const PYTHON: LanguageRules = {
  names: new Set(['identifier']),
  typeNames: new Set(),
  scopes: new Set([
    'function_definition',
    'lambda',
    'list_comprehension',
    'generator_expression',
    'dictionary_comprehension',
    'set_comprehension',
  ]),
  receiver,
  enter: {
    function_definition: functionDefinition,
    class_definition: classDefinition,
    assignment,
    call,
    attribute,
    subscript,
    import_statement: importPlain,
    import_from_statement: importFrom,
    raise_statement: raised,
    comparison_operator: comparison,
    default_parameter: environmentByDefault,
    for_statement: locals('left'),
    list_comprehension: comprehension,
    generator_expression: comprehension,
    dictionary_comprehension: comprehension,
    set_comprehension: comprehension,
    lambda: locals('parameters'),
    as_pattern: locals('alias'),
    if_statement: mainGuard,
    keyword_argument: (node, x) => {
      x.take(node.get('name'));
      return undefined;
    },
    identifier: (node, x) => {
      if (pendingBases.has(node)) x.refer('extend', node.text, node.line);
      return undefined;
    },
  },
};
