import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, type Pair, type YAMLMap } from 'yaml';
import type { Problem } from '../../contract/team.js';
import { findSections, isProblem, lineAt, type Sections } from './frontmatter.js';
import { emitFlow, emitKey, emitPair } from './frontmatter-emit.js';
import { applySplices, removePairLines, replaceValue, type Splice, updateValue } from './frontmatter-splices.js';
import { keyName, parseYaml } from './frontmatter-yaml.js';

/**
 * Returns the text of a new Markdown file: `keys` as frontmatter in their order, without those that are
 * null or undefined, and `body`.
 */
export function newMarkdown(keys: Record<string, unknown>, body: string): string {
  const pairs = Object.entries(keys).filter(([, value]) => value !== null && value !== undefined);
  return `---\n${pairs.map(([key, value]) => emitPair(key, value, '', '\n')).join('')}---\n\n${body}`;
}

/**
 * Returns `text` with the keys of `changes` set (null removes one) and, if `body` is given, with that body. Every
 * other byte stays: comments, order, quoting, spacing, line endings, other keys. A text without frontmatter gets one.
 * Returns a `Problem` when the text cannot be parsed, or when a key cannot be changed without changing another one (an
 * anchor that others refer to).
 */
export function editMarkdown(text: string, changes: Record<string, unknown>, body?: string): string | Problem {
  let edited = text;
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const next = editKey(edited, key, value);
    if (typeof next !== 'string') return next;
    edited = next;
  }
  return body === undefined ? edited : replaceBody(edited, body);
}

function replaceBody(text: string, body: string): string | Problem {
  const sections = findSections(text);
  if (isProblem(sections)) return sections;
  if (text.slice(sections.bodyStart) === body) return text;
  const { yaml, eol } = sections;
  // Without frontmatter, a body that begins with `---` would be read as one.
  if (!yaml)
    return body.startsWith('---')
      ? `${text.slice(0, sections.bodyStart)}---${eol}---${eol}${eol}${body}`
      : text.slice(0, sections.bodyStart) + body;
  const fence = lineAt(text, yaml.end);
  const closing = fence.next === fence.end ? eol : '';
  const isSeparated = sections.bodyStart > fence.next;
  // The one blank line after the fence belongs to the fence, so a body that begins with a blank line needs a separator.
  const separator = !isSeparated && (closing !== '' || /^\r?\n/.test(body)) ? eol : '';
  return text.slice(0, sections.bodyStart) + closing + separator + body;
}

function editKey(text: string, key: string, value: unknown): string | Problem {
  const sections = findSections(text);
  if (isProblem(sections)) return sections;
  if (!sections.yaml) return value === null ? text : withNewFrontmatter(text, sections, key, value);
  const parsed = parseYaml(text.slice(0, sections.yaml.end));
  if (isProblem(parsed)) return parsed;
  const { document, data } = parsed;
  if (isUnchanged(data, key, value)) return text;
  for (const splices of waysToEdit(text, sections, document, key, value)) {
    const edited = applySplices(text, splices);
    if (differsOnlyIn(edited, key, value, data, text.slice(sections.bodyStart))) return edited;
  }
  return {
    line: text.slice(0, sections.yaml.end).split('\n').length,
    column: 1,
    reason: `\`${key}\` cannot be changed without changing other keys; edit the text of the file.`,
  };
}

function withNewFrontmatter(text: string, { bodyStart, eol }: Sections, key: string, value: unknown): string {
  const mark = text.slice(0, bodyStart);
  return `${mark}---${eol}${emitPair(key, value, '', eol)}---${eol}${eol}${text.slice(bodyStart)}`;
}

function isUnchanged(data: Record<string, unknown>, key: string, value: unknown): boolean {
  return value === null
    ? !Object.hasOwn(data, key)
    : Object.hasOwn(data, key) && isDeepStrictEqual(plain(data[key]), plain(value));
}

/**
 * Yields the possible edits, the smallest first. The caller tries each one and accepts it only if it changes what
 * was requested and nothing else.
 */
function* waysToEdit(
  text: string,
  sections: Sections,
  document: Document,
  key: string,
  value: unknown,
): Generator<Splice[]> {
  const { eol } = sections;
  const end = (sections.yaml as { end: number }).end;
  const root = document.contents;
  if (!isMap(root)) {
    yield [{ start: end, end, text: emitPair(key, value, '', eol) }];
    return;
  }
  const pair = root.items.find((item) => keyName(item.key) === key);
  if (root.flow) {
    yield flowEdit(root as YAMLMap.Parsed, pair, key, value);
    return;
  }
  const indent = getIndent(text, root as YAMLMap.Parsed);
  if (!pair) {
    yield [{ start: end, end, text: emitPair(key, value, indent, eol) }];
    return;
  }
  const place = { text, indent, eol };
  if (value === null) {
    const removal = removePairLines(place, pair);
    if (removal) yield [removal];
    yield replaceValue(place, pair, null, 'one-line');
    return;
  }
  const update = updateValue(place, pair, value);
  if (update) yield update;
  yield replaceValue(place, pair, value, 'readable');
  // A comment that is indented below the key would become part of a block value.
  yield replaceValue(place, pair, value, 'one-line');
}

/** Returns an edit of a frontmatter written as one `{...}`. A removed key becomes null, which counts as absent. */
function flowEdit(root: YAMLMap.Parsed, pair: Pair | undefined, key: string, value: unknown): Splice[] {
  const start = root.range[0] + 1;
  if (!pair)
    return [{ start, end: start, text: `${emitKey(key)}: ${emitFlow(value)}${root.items.length > 0 ? ', ' : ''}` }];
  const range = (pair.value as { range?: [number, number, number] } | null)?.range;
  if (!range) return [];
  const isEmpty = range[0] === range[1];
  return [{ start: range[0], end: range[1], text: `${isEmpty ? ' ' : ''}${emitFlow(value)}` }];
}

/** Returns the white space before the keys of the outermost mapping. */
function getIndent(text: string, root: YAMLMap.Parsed): string {
  const [start] = root.range;
  // An anchor of the first key stands before the mapping, in the same line.
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start).replace(/\S.*/, '');
}

function differsOnlyIn(
  edited: string,
  key: string,
  value: unknown,
  before: Record<string, unknown>,
  body: string,
): boolean {
  const sections = findSections(edited);
  if (isProblem(sections) || !sections.yaml || edited.slice(sections.bodyStart) !== body) return false;
  const parsed = parseYaml(edited.slice(0, sections.yaml.end));
  if (isProblem(parsed)) return false;
  const { [key]: now, ...others } = parsed.data;
  const { [key]: _was, ...othersBefore } = before;
  return isDeepStrictEqual(plain(now ?? null), plain(value)) && isDeepStrictEqual(others, othersBefore);
}

/** Returns `value` as it is after a JSON round trip. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
