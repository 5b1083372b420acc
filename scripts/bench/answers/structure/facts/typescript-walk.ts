import * as ast from 'typescript/unstable/ast';
import type { At, Definition } from './facts.js';

const { SyntaxKind: Kind } = ast;

/** The syntax tree is read by property, since a walk meets every kind of node. */
export type Node = ast.Node & {
  name?: Node;
  text?: string;
  body?: Node;
  expression?: Node;
  initializer?: Node;
  left?: Node;
  right?: Node;
  argumentExpression?: Node;
  arguments?: readonly Node[];
  parameters?: readonly Node[];
  elements?: readonly Node[];
  propertyName?: Node;
  heritageClauses?: readonly Node[];
  types?: readonly Node[];
  moduleSpecifier?: Node;
  moduleReference?: Node;
  argument?: Node;
  literal?: Node;
  members?: readonly Node[];
  modifiers?: readonly Node[];
};

export interface Found extends Omit<Definition, 'path' | 'line'> {
  node: Node;
}

/** An identifier. */
export type Name = Node & { text: string };

export const isName = (node: Node | undefined): node is Name =>
  node?.kind === Kind.Identifier || node?.kind === Kind.PrivateIdentifier;
const isFunction = (node: Node | undefined) =>
  node?.kind === Kind.FunctionExpression || node?.kind === Kind.ArrowFunction;

export function each(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => each(child as Node, visit));
}

/** Where the name of a node stands. */
export function locateNode(node: Node, toPath: (file: string) => string): At {
  const file = node.getSourceFile();
  return { path: toPath(file.fileName), line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 };
}

function listNames(pattern: Node): string[] {
  if (isName(pattern)) return pattern.text === 'this' ? [] : [pattern.text];
  return (pattern.elements ?? []).flatMap((one) => (one.name ? listNames(one.name) : []));
}

const listParameters = (node: Node) => (node.parameters ?? []).flatMap((one) => (one.name ? listNames(one.name) : []));

function isTopLevel(node: Node): boolean {
  let up = node.parent as Node | undefined;
  while (up && [Kind.VariableDeclarationList, Kind.VariableStatement].includes(up.kind)) up = up.parent as Node;
  return up?.kind === Kind.SourceFile || up?.kind === Kind.ModuleBlock;
}

const findContainer = (node: Node) => {
  const up = node.parent as Node | undefined;
  return up?.kind === Kind.ClassDeclaration && isName(up.name) ? up.name.text : undefined;
};

const PLAIN: Readonly<Record<number, Definition['kind']>> = {
  [Kind.ClassDeclaration]: 'class',
  [Kind.InterfaceDeclaration]: 'interface',
  [Kind.TypeAliasDeclaration]: 'type',
  [Kind.EnumDeclaration]: 'enum',
};
const WEAK = new Set([
  Kind.Parameter,
  Kind.BindingElement,
  Kind.PropertyDeclaration,
  Kind.PropertySignature,
  Kind.MethodSignature,
  Kind.PropertyAssignment,
  Kind.ShorthandPropertyAssignment,
  Kind.ImportSpecifier,
  Kind.ImportClause,
  Kind.NamespaceImport,
  Kind.NamespaceExport,
  Kind.ExportSpecifier,
  Kind.GetAccessor,
  Kind.SetAccessor,
  Kind.EnumMember,
  Kind.ModuleDeclaration,
  Kind.TypeParameter,
  Kind.ImportEqualsDeclaration,
  Kind.FunctionExpression,
  Kind.ClassExpression,
  Kind.VariableDeclaration,
  Kind.FunctionDeclaration,
  Kind.MethodDeclaration,
]);

/** Those of them that declare something which is called. */
const CALLABLE = new Set([
  Kind.MethodSignature,
  Kind.MethodDeclaration,
  Kind.FunctionDeclaration,
  Kind.FunctionExpression,
]);

/** `exports.f = function`, `A.prototype.f = function`: a definition that is an assignment. */
function assigned(node: Node): Found | undefined {
  if (node.kind !== Kind.BinaryExpression || node.left?.kind !== Kind.PropertyAccessExpression) return undefined;
  const name = node.left.name;
  if (!isName(name)) return undefined;
  if (!isFunction(node.right)) return { name: name.text, kind: 'constant', node: name, isWeak: true };
  return { name: name.text, kind: 'function', node: name, params: listParameters(node.right as Node) };
}

/** Returns what a node declares. */
export function definedBy(node: Node): Found | undefined {
  const name = node.name;
  if (!isName(name)) return assigned(node);
  const found = { name: name.text, node: name };
  const isAmbient = node.getSourceFile().isDeclarationFile;
  const plain = PLAIN[node.kind];
  if (plain) return { ...found, kind: plain, ...(isAmbient ? { isWeak: true } : {}) };
  if (!isAmbient) {
    if (node.kind === Kind.FunctionDeclaration && node.body)
      return { ...found, kind: 'function', params: listParameters(node) };
    if (node.kind === Kind.MethodDeclaration && node.body) {
      const container = findContainer(node);
      return { ...found, kind: 'method', params: listParameters(node), ...(container ? { container } : {}) };
    }
    if (node.kind === Kind.VariableDeclaration && isFunction(node.initializer))
      return { ...found, kind: 'function', params: listParameters(node.initializer as Node) };
    if (node.kind === Kind.PropertyAssignment && isFunction(node.initializer))
      return { ...found, kind: 'method', params: listParameters(node.initializer as Node) };
    if (node.kind === Kind.VariableDeclaration && isTopLevel(node) && !isRequire(node.initializer))
      return { ...found, kind: 'constant' };
  }
  const kind = CALLABLE.has(node.kind) ? 'function' : 'constant';
  return WEAK.has(node.kind) ? { ...found, kind, isWeak: true } : undefined;
}

function isRequire(node: Node | undefined): boolean {
  let inner = node;
  while (inner?.kind === Kind.PropertyAccessExpression) inner = inner.expression;
  return inner?.kind === Kind.CallExpression && isName(inner.expression) && inner.expression.text === 'require';
}

/** The name by which a call is made, and whether it is made through `call`, `apply` or `bind`. */
export function calledName(node: Node): { name: Name; isWeak: boolean } | undefined {
  if (node.kind !== Kind.CallExpression) return undefined;
  let callee = node.expression;
  while (callee?.kind === Kind.ParenthesizedExpression || callee?.kind === Kind.NonNullExpression)
    callee = callee.expression;
  if (isName(callee)) return { name: callee, isWeak: false };
  if (callee?.kind !== Kind.PropertyAccessExpression || !isName(callee.name)) return undefined;
  if (!/^(?:call|apply|bind)$/.test(callee.name.text)) return { name: callee.name, isWeak: false };
  const through = callee.expression;
  if (isName(through)) return { name: through, isWeak: true };
  return through?.kind === Kind.PropertyAccessExpression && isName(through.name)
    ? { name: through.name, isWeak: true }
    : { name: callee.name, isWeak: false };
}

const isString = (node: Node | undefined) =>
  node?.kind === Kind.StringLiteral || node?.kind === Kind.NoSubstitutionTemplateLiteral;

/** The module that a node imports, as written. */
export function importedBy(node: Node): string | undefined {
  if (node.kind === Kind.ImportDeclaration || node.kind === Kind.ExportDeclaration) return node.moduleSpecifier?.text;
  if (node.kind === Kind.ImportEqualsDeclaration) return node.moduleReference?.expression?.text;
  if (node.kind === Kind.ImportType) return node.argument?.literal?.text;
  if (node.kind !== Kind.CallExpression || !isString(node.arguments?.[0])) return undefined;
  const callee = node.expression;
  const isImport = callee?.kind === Kind.ImportKeyword || (isName(callee) && callee.text === 'require');
  return isImport ? node.arguments?.[0]?.text : undefined;
}

const isProcessEnv = (node: Node | undefined) =>
  node?.kind === Kind.PropertyAccessExpression && isName(node.name) && /(?:^|\.)process\??\.env$/.test(node.getText());

function isWritten(node: Node): boolean {
  const up = node.parent as Node | undefined;
  if (up?.kind === Kind.DeleteExpression) return true;
  return (
    up?.kind === Kind.BinaryExpression &&
    up.left === node &&
    /^=[^=]/.test(up.getText().slice(node.getText().length).trim())
  );
}

/** The environment variables that a node reads, with where; the name is empty where it is not written there. */
export function envReadBy(node: Node): { name: string; node: Node }[] {
  if (isWritten(node)) return [];
  if (node.kind === Kind.PropertyAccessExpression && isProcessEnv(node.expression) && isName(node.name))
    return [{ name: node.name.text, node: node.name }];
  if (node.kind === Kind.ElementAccessExpression && isProcessEnv(node.expression))
    return [{ name: isString(node.argumentExpression) ? (node.argumentExpression?.text ?? '') : '', node }];
  if (node.kind === Kind.VariableDeclaration && isProcessEnv(node.initializer) && node.name && !isName(node.name))
    return (node.name.elements ?? []).flatMap((one) => {
      const key = one.propertyName ?? one.name;
      return isName(key) ? [{ name: key.text, node: key }] : [];
    });
  return [];
}
