import { findSecret } from '../../../lib/secrets/secrets.js';
import type { FileStructure } from '../../../storage/database/structure-schema.js';
import { getFileRole, readableText } from '../passages/file-worth.js';
import { Extraction } from './extraction.js';
import { findLanguage } from './languages.js';
import { isManifest, readManifest } from './manifest-scripts.js';
import type { SyntaxNode } from './syntax-node.js';
import { ParseTimeout, type Parsing } from './syntax-parser.js';

const STRUCTURE_MAX_BYTES = 1024 * 1024;
const BUILD_SCRIPT = /(?:^|\/)build\.rs$/;
const THIRD_PARTY = /(?:^|\/)(?:vendor|third[_-]?party|node_modules|deps|external|bundled)\//i;

/** Whether a file may contribute to the graph, by its name. */
export function mayHaveStructure(path: string): boolean {
  return findLanguage(path) !== undefined || isManifest(path);
}

/** 0 for a source, 1 for a test, an example or a build script, 2 for third-party code. */
function rankRole(path: string): number {
  if (THIRD_PARTY.test(path)) return 2;
  const role = getFileRole(path);
  return role === 'test' || role === 'example' || BUILD_SCRIPT.test(path) ? 1 : 0;
}

/** Returns a file that contributes nothing, with the reason when it was left out. */
export function emptyStructure(path: string, leftOut?: string): FileStructure {
  return {
    language: findLanguage(path)?.name ?? '',
    role: rankRole(path),
    package: '',
    isModule: false,
    ...(leftOut === undefined ? {} : { leftOut }),
    symbols: [],
    references: [],
    imports: [],
    environment: [],
    routes: [],
    scripts: [],
    errors: [],
    constants: [],
    entries: [],
  };
}

/**
 * Reads the structure of one file. Pauses about every 25 ms. Never throws for what the file holds: one that cannot be
 * read in bounded time is returned empty with the reason. Throws `GrammarBroken`.
 */
export function* readStructure(path: string, bytes: Uint8Array, parser: Parsing): Generator<void, FileStructure, void> {
  if (bytes.length > STRUCTURE_MAX_BYTES) return emptyStructure(path, 'too large');
  const text = readableText(bytes);
  if (text === undefined) return emptyStructure(path);
  const manifest = readManifest(path, text);
  const language = findLanguage(path);
  if (!language) return withoutSecrets({ ...emptyStructure(path), ...manifest }, text);
  try {
    const root = yield* parseTwice(parser, language.grammar, text);
    if (root === undefined) return emptyStructure(path, 'cannot be parsed');
    const extraction = new Extraction(language.rules);
    extraction.visit(root);
    // A manifest may be a program too.
    return withoutSecrets({ ...extraction.finish(language.name, rankRole(path)), ...manifest }, text);
  } catch (error) {
    if (error instanceof ParseTimeout) return emptyStructure(path, 'takes too long to parse');
    if (error instanceof GrammarBroken) throw error;
    // Whatever a malformed file makes a grammar or a rule do, the rest of the project is still read.
    return emptyStructure(path, 'cannot be parsed');
  }
}

/** The grammar cannot even parse an empty text, which says nothing of the file. */
export class GrammarBroken extends Error {}

/** Parses a text, and once more after a failure, which may come from an earlier file. Returns undefined after two. */
function* parseTwice(
  parser: Parsing,
  grammar: Parameters<Parsing['parse']>[0],
  text: string,
): Generator<void, SyntaxNode | undefined, void> {
  for (const isLast of [false, true]) {
    try {
      return yield* parser.parse(grammar, text);
    } catch (error) {
      if (error instanceof ParseTimeout) throw error;
      if (isLast) yield* checkGrammar(parser, grammar);
    }
  }
  return undefined;
}

function* checkGrammar(parser: Parsing, grammar: Parameters<Parsing['parse']>[0]): Generator<void, void, void> {
  try {
    yield* parser.parse(grammar, '');
  } catch (cause) {
    throw new GrammarBroken('The grammar parses nothing.', { cause });
  }
}

/** Empties every text that holds something like a secret: the graph keeps none, as the text index does. */
function withoutSecrets(found: FileStructure, text: string): FileStructure {
  if (findSecret(text) === undefined) return found;
  const safe = (one: string) => (findSecret(one) === undefined ? one : '');
  return {
    ...found,
    symbols: found.symbols.map((one) => ({
      ...one,
      signature: safe(one.signature),
      doc: safe(one.doc),
      ...(one.parameters ? { parameters: one.parameters.filter(({ value = '' }) => safe(value) === value) } : {}),
    })),
    environment: found.environment.map((one) => ({
      ...one,
      ...(one.value === undefined ? {} : { value: safe(one.value) }),
    })),
    scripts: found.scripts.map((one) => ({ ...one, command: safe(one.command) })),
    errors: found.errors.map((one) => ({ ...one, message: safe(one.message) })),
    // A short value may be a secret only together with its name.
    constants: found.constants.map((one) => ({
      ...one,
      value: safe(`${one.name} = ${one.value}`) === '' ? '' : one.value,
    })),
  };
}
