import type { Extraction } from '../extraction.js';
import { stringValue } from '../source-text.js';
import type { SyntaxNode } from '../syntax-node.js';

/** Reads `import … from` and `import x = require()`. */
export function readImport(node: SyntaxNode, x: Extraction): undefined {
  const required = node.of('import_require_clause');
  const source = stringValue(node.get('source') ?? required?.get('source'));
  if (source === undefined) return undefined;
  const names: [string, string][] = [];
  const add = (theirs: string, ours: SyntaxNode | undefined, ...others: (SyntaxNode | undefined)[]) => {
    if (ours) names.push([theirs, ours.text]);
    x.take(ours, ...others);
  };
  for (const one of required ? required.children : (node.of('import_clause')?.children ?? [])) {
    if (one.type === 'identifier') add(required ? '*' : 'default', one);
    if (one.type === 'namespace_import') add('*', one.children[0]);
    for (const specifier of one.type === 'named_imports' ? one.children : []) {
      const name = specifier.get('name');
      add(name?.text ?? '', specifier.get('alias') ?? name, name);
    }
  }
  x.import(source, node.line, names);
  return undefined;
}

/** Reads `export … from`, and which names a file passes on. */
export function readExport(node: SyntaxNode, x: Extraction): undefined {
  x.isModule = true;
  const source = stringValue(node.get('source'));
  const names: [string, string][] = [];
  for (const one of node.of('export_clause')?.children ?? []) {
    const name = one.get('name');
    const alias = one.get('alias');
    if (source !== undefined) x.take(name);
    x.take(alias);
    if (name) names.push([name.text, (alias ?? name).text]);
  }
  if (/^export\s+default\b/.test(node.head(24))) {
    const named = node.get('declaration', 'value')?.get('name') ?? node.get('value') ?? node.of('identifier');
    if (named && /identifier$/.test(named.type)) x.exportDefault(named.text);
  }
  if (source === undefined) return undefined;
  const all = node.of('namespace_export');
  for (const one of all?.children ?? []) x.take(one);
  // The aliases of what is passed on are names of this file's readers, not of this file.
  x.imports.push({
    specifier: source.slice(0, 500),
    line: node.line,
    isExported: true,
    names: names.length > 0 ? names.slice(0, 500) : [['*', all?.children[0]?.text ?? '*']],
  });
  return undefined;
}

/** Reads `const x = require()` and `const { a } = await import()`. Returns whether it was one. */
export function readRequire(name: SyntaxNode, value: SyntaxNode | undefined, x: Extraction): boolean {
  const call = value?.type === 'await_expression' ? value.children[0] : value;
  const direct = call?.type === 'member_expression' ? call.get('object') : call;
  const callee = direct?.type === 'call_expression' ? direct.get('function') : undefined;
  if (!direct || !callee || (callee.type !== 'import' && callee.text !== 'require')) return false;
  const source = stringValue(direct.get('arguments')?.children[0]);
  if (source === undefined) return false;
  const names: [string, string][] = [];
  if (name.type === 'identifier') {
    x.take(name);
    const property = call?.type === 'member_expression' ? call.get('property')?.text : undefined;
    names.push([property ?? '*', name.text]);
  }
  for (const one of name.type === 'object_pattern' ? name.children : []) {
    const key = one.type === 'pair_pattern' ? one.get('key') : one;
    const local = one.type === 'pair_pattern' ? one.get('value') : one;
    x.take(key, local);
    if (key && local) names.push([key.text, local.text]);
  }
  x.take(callee);
  x.import(source, name.line, names);
  return true;
}
