import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { Problem } from '../../contract/team.js';
import { getErrorMessage } from '../../lib/errors.js';

/** The maximum number of alias nodes in a frontmatter. */
const ALIAS_LIMIT = 32;
/**
 * Limits that are checked on the token stream before a tree is built. The parser recurses per level, and a file made of
 * brackets would otherwise exhaust the stack in a way that ends the process instead of throwing.
 */
const FLOW_DEPTH_LIMIT = 32;
const INDENT_LIMIT = 200;
const OVER_INDENT_LIMIT = new RegExp(`^(?: |[-?:](?= )){${INDENT_LIMIT + 1}}`);
const TOKEN_LIMIT = 10_000;

/** The frontmatter as a tree, for positions and edits, and as plain data. */
export interface ParsedYaml {
  document: Document;
  data: Record<string, unknown>;
}

/**
 * Parses the YAML of a Markdown file. `source` is the file up to its closing fence. It includes the opening fence, so
 * that offsets are offsets into the file and a `%` directive is an error. Source tokens are kept for editing.
 */
export function parseYaml(source: string, lines: LineCounter = new LineCounter()): ParsedYaml | Problem {
  const tooMuch = exceedsBounds(source);
  if (tooMuch) return tooMuch;
  const document = parseDocument(source, {
    version: '1.2',
    schema: 'core',
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
    keepSourceTokens: true,
    lineCounter: lines,
  });
  const failure = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])[0];
  if (failure)
    return { ...getPlace(lines, getOpenQuote(document, failure) ?? failure.pos[0]), reason: failure.message };
  const refused = findRefused(document);
  if (refused) return { ...getPlace(lines, refused.offset), reason: refused.reason };
  const root = document.contents;
  if (root !== null && !isMap(root) && !(isScalar(root) && root.value === null)) {
    return {
      ...getPlace(lines, root.range?.[0] ?? 0),
      reason: 'The frontmatter must be a list of `key: value` lines.',
    };
  }
  try {
    // The parser counts the anchored value itself as well as its aliases.
    const data = (document.toJS({ maxAliasCount: ALIAS_LIMIT + 1 }) ?? {}) as Record<string, unknown>;
    return { document, data };
  } catch (error) {
    return { line: 1, column: 1, reason: getErrorMessage(error) };
  }
}

/** Returns the line and column of an offset that `lines` has counted. */
export function getPlace(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/**
 * Returns the offset of the opening quote that is never closed. The parser reports the error only at the end of the
 * text that it takes to be in that quote, so the quote is the last scalar that begins before.
 */
function getOpenQuote(document: Document, { code, message, pos }: YAMLError): number | undefined {
  if (code !== 'MISSING_CHAR' || !message.includes('quote')) return undefined;
  let opening: number | undefined;
  visit(document, {
    Scalar(_key, { range }) {
      if (range && range[0] < pos[0]) opening = range[0];
    },
  });
  return opening;
}

/** Returns the first place where `source` exceeds the limits on nesting or length. */
function exceedsBounds(source: string): Problem | undefined {
  let line = 0;
  for (const text of source.split('\n')) {
    line += 1;
    if (OVER_INDENT_LIMIT.test(text))
      return { line, column: INDENT_LIMIT + 1, reason: 'The frontmatter is nested too deeply.' };
  }
  line = 1;
  let depth = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(source)) {
    tokens += 1;
    if (tokens > TOKEN_LIMIT) return { line, column: 1, reason: 'The frontmatter has too many entries.' };
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else for (let at = token.indexOf('\n'); at !== -1; at = token.indexOf('\n', at + 1)) line += 1;
    if (depth > FLOW_DEPTH_LIMIT) return { line, column: 1, reason: 'The frontmatter is nested too deeply.' };
  }
  return undefined;
}

/** Returns the first tag, surplus alias or repeated key of `document`. */
function findRefused(document: Document): { offset: number; reason: string } | undefined {
  let refused: { offset: number; reason: string } | undefined;
  let aliases = 0;
  const refuse = (node: unknown, reason: string) => {
    refused = { offset: (isNode(node) ? node.range?.[0] : undefined) ?? 0, reason };
    return visit.BREAK;
  };
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node) && node.tag !== undefined)
        return refuse(node, 'Tags (`!`, `!!`) are not read: write the plain value.');
      if (isAlias(node)) {
        aliases += 1;
        if (aliases > ALIAS_LIMIT)
          return refuse(node, `There are more than ${ALIAS_LIMIT} aliases (\`*name\`): write the values out.`);
      }
      if (isMap(node)) {
        const seen = new Set<string>();
        for (const { key } of node.items) {
          const name = keyName(key);
          if (seen.has(name)) return refuse(key, `The key \`${name.slice(0, 80)}\` stands twice: keep one.`);
          seen.add(name);
        }
      }
      return undefined;
    },
  });
  return refused;
}

/** Returns where the value at `path` starts, or the nearest value or key around it. */
export function getOffset(document: Document, path: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (!isCollection(node)) break;
    const found: unknown = isSeq(node)
      ? node.items[Number(step)]
      : node.items.find((pair) => isPair(pair) && keyName(pair.key) === step);
    const value: unknown = isPair(found) ? found.value : found;
    const key = isPair(found) && isNode(found.key) ? found.key : undefined;
    offset = ownOffset(value) ?? key?.range?.[0] ?? offset;
    node = value;
  }
  return offset;
}

/** Returns where a value starts. An empty value has no position of its own. */
function ownOffset(value: unknown): number | undefined {
  if (!isNode(value)) return undefined;
  const range = (value as Node).range;
  return range && range[1] > range[0] ? range[0] : undefined;
}

/** Returns the text of a mapping's key. */
export function keyName(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
