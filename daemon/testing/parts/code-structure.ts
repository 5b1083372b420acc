import { beforeAll } from 'vitest';
import { readStructure } from '../../features/knowledge/structure/file-structure.js';
import { StructureQueries } from '../../features/knowledge/structure/structure-queries.js';
import { Structuring } from '../../features/knowledge/structure/structuring.js';
import type { SyntaxNode } from '../../features/knowledge/structure/syntax-node.js';
import { SyntaxParser } from '../../features/knowledge/structure/syntax-parser.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { systemClock } from '../../lib/time/clock.js';
import type { FileStructure, NewSymbol } from '../../storage/database/structure-schema.js';
import { openGraph } from './structure-graph.js';

/** Runs a generator that pauses to its end. */
function finish<T>(running: Generator<void, T, void>): T {
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
  }
}

/** Returns what reads the structure of a file of this path and text. Is called at the top of a test file. */
export function openCode(): (path: string, text: string) => FileStructure {
  let parser: SyntaxParser;
  beforeAll(async () => {
    parser = await SyntaxParser.open(systemClock);
  });
  return (path, text) => finish(readStructure(path, Buffer.from(text), parser));
}

/** Returns what parses a text. Is called at the top of a test file. */
export function parsed() {
  let parser: SyntaxParser;
  beforeAll(async () => {
    parser = await SyntaxParser.open(systemClock);
  });
  return (grammar: Parameters<SyntaxParser['parse']>[0], text: string): SyntaxNode =>
    finish(parser.parse(grammar, text));
}

/** Returns what builds the graph of a project of these files. Is called at the top of a test file. */
export function openCodeGraphs() {
  let parser: SyntaxParser;
  beforeAll(async () => {
    parser = await SyntaxParser.open(systemClock);
  });
  return (files: Record<string, string>) => {
    const { database, index, all, graph } = openGraph();
    for (const [path, text] of Object.entries(files)) index(path, { sha256: sha256Hex(text) });
    const read = (path: string) => {
      const text = files[path];
      return text === undefined ? undefined : { bytes: Buffer.from(text), size: text.length, mtimeMs: 1 };
    };
    for (const _ of new Structuring({ read, stampOf: () => undefined }, database, systemClock).update(parser));
    return { queries: new StructureQueries(all), all, graph };
  };
}

const nameOf = (one: NewSymbol) => (one.container === '' ? one.name : `${one.container}.${one.name}`);
const join = (...words: readonly string[]) => words.filter((word) => word !== '').join(' ');

/** A symbol as `export class Lamp 1-3: Its doc.`, with the parameters that it is said to have. */
function showSymbol(one: NewSymbol): string {
  const rows = one.parameters?.map(
    ({ name, type, value }) =>
      `${name}${type === undefined ? '' : `: ${type}`}${value === undefined ? '' : ` = ${value}`}`,
  );
  const lines = one.startLine === one.endLine ? `${one.startLine}` : `${one.startLine}-${one.endLine}`;
  const visible = one.isDefault ? 'default' : one.isExported ? 'export' : '';
  const named = `${nameOf(one)}${rows ? `(${rows.join(', ')})` : ''}`;
  return `${join(visible, one.isDeclaration ? 'declare' : '', one.kind, named, lines)}${one.doc && `: ${one.doc}`}`;
}

/** All that a file holds, a line for each: `call Lamp.light 3 in go` has `?` before the dot where no type is known. */
export function showCode(found: FileStructure): string[] {
  const within = (index: number) => {
    const around = found.symbols[index];
    return around === undefined ? '' : `in ${nameOf(around)}`;
  };
  return [
    ...(found.package === '' ? [] : [`package ${found.package}`]),
    ...(found.isModule ? ['a module'] : []),
    ...found.symbols.map(showSymbol),
    ...found.imports.map(({ specifier, names, line, isExported }) => {
      const pairs = names.map(([theirs, ours]) => (theirs === ours ? theirs : `${theirs} as ${ours}`));
      return join(isExported ? 're-export' : 'import', specifier, `(${pairs.join(', ')})`, `${line}`);
    }),
    ...found.references.map(({ kind, qualifier, name, line, symbol }) =>
      join(kind, qualifier === '' ? name : `${qualifier}.${name}`, `${line}`, within(symbol)),
    ),
    ...found.environment.map(({ name, value, line }) => join('reads', name, value ? `= ${value}` : '', `${line}`)),
    ...found.routes.map(({ method, route, handler, line }) => join('serves', method, route, handler, `${line}`)),
    ...found.errors.map(({ name, kind, message, line }) => join('error', kind, name, `(${message})`, `${line}`)),
    ...found.constants.map(({ name, container, value, line }) =>
      join('value', `${container === '' ? '' : `${container}.`}${name}`, `= ${value}`, `${line}`),
    ),
    ...found.entries.map(({ name, kind, line }) => join('entry', kind, name, `${line}`)),
  ];
}
