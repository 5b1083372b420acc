import { isDeepStrictEqual } from 'node:util';
import {
  type CST,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { lineAt } from './frontmatter.js';
import { emitFlow, emitItem, emitPair, emitValue } from './frontmatter-emit.js';
import { keyName } from './frontmatter-yaml.js';

/*
 * Implemented here because everything outside the edit must stay byte for byte: the writers of gray-matter and yaml lay
 * out the whole document again, and yaml's concrete syntax tree can be edited for scalars only (`setScalarValue`).
 */

/** A range of a text and its replacement. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** The edited text, the white space before the keys of the current mapping, and the line ending for new lines. */
interface Place {
  text: string;
  indent: string;
  eol: string;
}

/** Returns `text` with all `splices` applied. They must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let edited = '';
  let at = 0;
  for (const { start, end, text: piece } of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    edited += text.slice(at, start) + piece;
    at = Math.max(at, end);
  }
  return edited + text.slice(at);
}

/**
 * Sets a pair to a new value by changing only the entries that differ, so that comments beside the others
 * remain. Returns undefined when the two values are not both block lists or both block mappings; the
 * caller then uses `replaceValue`.
 */
export function updateValue(place: Place, pair: Pair, value: unknown): Splice[] | undefined {
  const node = pair.value;
  if (isMap(node) && !node.flow && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return updateMap(place, node, value as Record<string, unknown>);
  }
  if (isSeq(node) && !node.flow && Array.isArray(value)) return updateSeq(place, node, value);
  return undefined;
}

/**
 * Replaces the whole value of a pair, on one line or in the more readable layout. A comment on the key's line remains.
 */
export function replaceValue(
  { text, indent, eol }: Place,
  pair: Pair,
  value: unknown,
  shape: 'one-line' | 'readable',
): Splice[] {
  const node = isNode(pair.value) ? pair.value : undefined;
  const colon = colonEnd(pair);
  if (colon === undefined || !node?.range) return [];
  const quoting = isScalar(node) ? (node.type as Parameters<typeof emitValue>[3]) : undefined;
  const emitted = shape === 'one-line' ? ` ${emitFlow(value)}` : emitValue(value, indent, eol, quoting);
  // The text that begins on the key's line goes before a comment there, the lines below it go after.
  const newline = emitted.indexOf(eol);
  const head = newline === -1 ? emitted : emitted.slice(0, newline);
  const below = emitted.slice(head.length);
  const [start] = node.range;
  const end = contentEnd(text, node);
  if (start >= end) return [insertion(end, head), insertion(lineAt(text, end).end, below)];
  const keyLine = lineAt(text, colon);
  if (start >= keyLine.next) {
    const ownLines = { start: text.lastIndexOf('\n', start - 1) + 1, end: lineAt(text, end).next, text: '' };
    return [insertion(colon, head), insertion(keyLine.end, below), ownLines];
  }
  const isBare = text.slice(colon, start).trim() === '';
  const replaced = head === '' && isBare ? { start: colon, end, text: '' } : { start, end, text: head.trimStart() };
  return [replaced, insertion(lineAt(text, end).end, below)];
}

const insertion = (at: number, text: string): Splice => ({ start: at, end: at, text });

/**
 * Removes the lines of a pair; comments above it remain. Returns undefined when the pair shares its
 * first line with something else.
 */
export function removePairLines({ text }: Place, pair: Pair): Splice | undefined {
  const range = isNode(pair.key) ? pair.key.range : undefined;
  if (!range) return undefined;
  const [start, keyEnd] = range;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (!/^ *(?:\? *)?(?:&\S+ +)?$/.test(text.slice(lineStart, start))) return undefined;
  const end = isNode(pair.value) ? contentEnd(text, pair.value) : keyEnd;
  return { start: lineStart, end: lineAt(text, end).next, text: '' };
}

function updateMap(place: Place, node: YAMLMap, value: Record<string, unknown>): Splice[] | undefined {
  const first = node.items[0];
  const indent = first && isNode(first.key) && first.key.range ? columnText(place.text, first.key.range[0]) : undefined;
  if (indent === undefined || Object.keys(value).length === 0) return undefined;
  const inner = { ...place, indent };
  const splices: Splice[] = [];
  const present = new Set<string>();
  for (const pair of node.items) {
    const key = keyName(pair.key);
    present.add(key);
    if (!Object.hasOwn(value, key) || value[key] === undefined) {
      const removal = removePairLines(inner, pair);
      if (!removal) return undefined;
      splices.push(removal);
    } else if (!isDeepStrictEqual(toJson(pair.value), value[key])) {
      splices.push(...(updateValue(inner, pair, value[key]) ?? replaceValue(inner, pair, value[key], 'readable')));
    }
  }
  const added = Object.entries(value).filter(([key, item]) => !present.has(key) && item !== undefined);
  const at = lineAt(place.text, contentEnd(place.text, node)).next;
  const text = added.map(([key, item]) => emitPair(key, item, indent, place.eol)).join('');
  return [...splices, insertion(at, text)];
}

function updateSeq(place: Place, node: YAMLSeq, value: readonly unknown[]): Splice[] | undefined {
  const dashes = dashOffsets(node);
  // The other items are on lines of their own, in the column of the first.
  const [indent] = dashes.map((dash) => columnText(place.text, dash));
  if (indent === undefined || value.length === 0) return undefined;
  const old = node.items.map(toJson);
  let prefix = 0;
  while (prefix < Math.min(old.length, value.length) && isDeepStrictEqual(old[prefix], value[prefix])) prefix += 1;
  let suffix = 0;
  const isSameFromEnd = () => isDeepStrictEqual(old[old.length - 1 - suffix], value[value.length - 1 - suffix]);
  while (suffix < Math.min(old.length, value.length) - prefix && isSameFromEnd()) suffix += 1;
  // New items are inserted after an old one. Without an old item before them, the list is matched from its start only.
  if (old.length === suffix) suffix = 0;
  const oldEnd = old.length - suffix;
  const newEnd = value.length - suffix;
  const splices: Splice[] = [];
  const itemEnd = (index: number) => {
    const item = node.items[index];
    return isNode(item) ? contentEnd(place.text, item) : 0;
  };
  let at = prefix;
  for (; at < Math.min(oldEnd, newEnd); at += 1) {
    splices.push({ start: (dashes[at] ?? 0) + 1, end: itemEnd(at), text: emitItem(value[at], indent, place.eol) });
  }
  for (let gone = at; gone < oldEnd; gone += 1) {
    const start = (dashes[gone] ?? 0) - indent.length;
    splices.push({ start, end: lineAt(place.text, itemEnd(gone)).next, text: '' });
  }
  if (at < newEnd) {
    const after = lineAt(place.text, itemEnd(at - 1)).next;
    const lines = value.slice(at, newEnd).map((item) => `${indent}-${emitItem(item, indent, place.eol)}${place.eol}`);
    splices.push({ start: after, end: after, text: lines.join('') });
  }
  return splices;
}

/** The offset of the `-` of each item of a block list. */
function dashOffsets(node: YAMLSeq): number[] {
  const { items } = node.srcToken as CST.BlockSequence;
  return items.flatMap(({ start }) => start.filter(({ type }) => type === 'seq-item-ind').map(({ offset }) => offset));
}

/** The offset just after the `:` of a pair. */
function colonEnd(pair: Pair): number | undefined {
  const token = (pair as { srcToken?: CST.CollectionItem }).srcToken;
  const colon = token?.sep?.find(({ type }) => type === 'map-value-ind');
  return colon && colon.offset + colon.source.length;
}

/**
 * Where the content of a node ends: line endings, blank lines and comments after its last entry are not part of it.
 * That of an empty value ends just after the `:`, the `-` or the anchor before it.
 */
function contentEnd(text: string, node: Node): number {
  if (isCollection(node) && !node.flow) {
    const last: unknown = node.items.at(-1);
    const lastNode = isPair(last) ? (last.value ?? last.key) : last;
    return isNode(lastNode) ? contentEnd(text, lastNode) : 0;
  }
  let end = node.range?.[1] ?? 0;
  // A block of text and an empty value may have blanks at the end. Other white space, as a no-break space, is content.
  while (/[ \t\r\n]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Returns the text before `offset` in its line when it consists only of spaces. */
function columnText(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^ *$/.test(before) ? before : undefined;
}

function toJson(node: unknown): unknown {
  return isNode(node) ? JSON.parse(JSON.stringify(node)) : null;
}
