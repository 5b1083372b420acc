import { parseAst } from 'rolldown/parseAst';
import type { Scope, Term } from './terms.js';

interface Hit {
  line: number;
  /** The text or name that contains the term. */
  text: string;
  term: Term;
}

interface Found {
  scope: Scope;
  text: string;
  /** Offset in the source. */
  at: number;
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/**
 * Returns whether a string is text for users: several words, or in the dashboard a label. Keys, routes and class names
 * are single lower-case words.
 */
const isProse = (text: string, hasLabels: boolean): boolean =>
  /\S\s+\S/.test(text) || (hasLabels && /^[A-Z]/.test(text));

/** Yields the user-facing texts and the identifiers below `node`, in source order. */
function* findTexts(node: Node, hasLabels: boolean, isProseTemplate = false): Generator<Found> {
  if (/^(?:Import|ExportAll)/.test(node.type)) return;
  const { type, value, start, name } = node;
  if (type === 'Literal' && typeof value === 'string') {
    if (isProse(value.trim(), hasLabels)) yield { scope: 'screen', text: value.trim(), at: start };
  } else if (type === 'JSXText') {
    const text = String(value).replace(/\s+/g, ' ').trim();
    if (text !== '') yield { scope: 'screen', text, at: start + (/^\s*/.exec(String(value))?.[0].length ?? 0) };
  } else if (type === 'TemplateElement') {
    const text = (value as { cooked: string | null }).cooked ?? '';
    if (isProseTemplate) yield { scope: 'screen', text, at: start };
  } else if (type === 'Identifier' || type === 'JSXIdentifier') {
    yield { scope: 'identifier', text: String(name), at: start };
  }
  const isPlainTemplate =
    type === 'TemplateLiteral' &&
    isProse(
      (node['quasis'] as { value: { cooked: string | null } }[]).map((one) => one.value.cooked ?? '').join('x'),
      hasLabels,
    );
  for (const child of Object.values(node).flat())
    if (typeof child === 'object' && child !== null && 'type' in child)
      yield* findTexts(child as Node, hasLabels, isPlainTemplate);
}

/** Returns the retired terms in a source file. */
export function findRetired(path: string, source: string, terms: readonly Term[]): Hit[] {
  const here = terms.filter(({ within }) => within === undefined || within.some((start) => path.startsWith(start)));
  const program = parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  const hits: Hit[] = [];
  for (const { scope, text, at } of findTexts(program, path.startsWith('ui/'))) {
    const term = here.find((one) => one.scope === scope && one.retired.test(text) && one.except?.test(text) !== true);
    if (term) hits.push({ line: source.slice(0, at).split('\n').length, text, term });
  }
  return hits;
}
