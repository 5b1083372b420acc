import { Scalar, stringify } from 'yaml';

/** Lists and mappings up to this length are written on one line. */
const ONE_LINE_MAX_CHARS = 100;
const INDENT = '  ';

/**
 * Formats a JSON value as YAML, to be placed after `key:`. A value that fits on one line starts with a space; any other
 * starts with a line ending and is indented below `indent`. There is no trailing line ending. `like` is the quoting to
 * use for a text where possible.
 */
export function emitValue(value: unknown, indent: string, eol: string, like?: Scalar.Type): string {
  if (typeof value === 'string') return ` ${emitText(value, indent, eol, like)}`;
  if (typeof value !== 'object' || value === null) return ` ${emitBare(value)}`;
  const oneLine = emitFlow(value);
  if (oneLine.length <= ONE_LINE_MAX_CHARS && isFlat(value)) return ` ${oneLine}`;
  const inner = indent + INDENT;
  if (Array.isArray(value)) return value.map((item) => `${eol}${inner}-${emitItem(item, inner, eol)}`).join('');
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${eol}${inner}${emitKey(key)}:${emitValue(item, inner, eol)}`)
    .join('');
}

/** Formats the part after the `-` of a list item whose `-` is indented by `indent`. */
export function emitItem(value: unknown, indent: string, eol: string): string {
  return typeof value === 'string' ? emitValue(value, indent, eol) : ` ${emitFlow(value)}`;
}

/** Formats `key: value` with a trailing line ending. */
export function emitPair(key: string, value: unknown, indent: string, eol: string): string {
  return `${indent}${emitKey(key)}:${emitValue(value, indent, eol)}${eol}`;
}

export function emitKey(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) && emitPlain(key) === key ? key : JSON.stringify(key);
}

/** Formats a value on one line, so that it is valid inside brackets. */
export function emitFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(emitFlow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${pairs.map(([key, item]) => `${emitKey(key)}: ${emitFlow(item)}`).join(', ')}}`;
  }
  if (typeof value !== 'string') return emitBare(value);
  return /^[A-Za-z_./@][\w ./@-]*$/.test(value) && emitPlain(value) === value ? value : JSON.stringify(value);
}

/** Formats a number, a boolean or null. YAML has numbers that JSON cannot express. */
function emitBare(value: unknown): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return JSON.stringify(value);
  if (Number.isNaN(value)) return '.nan';
  return value === Number.POSITIVE_INFINITY ? '.inf' : '-.inf';
}

function emitText(text: string, indent: string, eol: string, like: Scalar.Type | undefined): string {
  if (canBeLiteral(text)) {
    const lines = text.replace(/\n$/, '').split('\n');
    return `${text.endsWith('\n') ? '|' : '|-'}${lines.map((line) => `${eol}${line === '' ? '' : indent + INDENT + line}`).join('')}`;
  }
  if (/[\p{Cc}\p{Surrogate}\u2028\u2029\uFEFF]/u.test(text)) return JSON.stringify(text);
  const scalar = new Scalar(text);
  if (like === 'QUOTE_SINGLE' || like === 'QUOTE_DOUBLE') scalar.type = like;
  const plain = stringify(scalar, { lineWidth: 0 }).trimEnd();
  return plain.includes('\n') ? JSON.stringify(text) : plain;
}

/** Reports whether a text of several lines can be written as a literal block and is read back exactly. */
function canBeLiteral(text: string): boolean {
  if (!/^\S/.test(text) || !text.includes('\n') || text.endsWith('\n\n')) return false;
  return text
    .split('\n')
    .every((line) => (line === '' || line.trim() !== '') && !/[\p{Cc}\p{Surrogate}\u2028\u2029\uFEFF]/u.test(line));
}

const emitPlain = (text: string) => stringify(text, { lineWidth: 0 }).trimEnd();

/** Reports whether no item is a list or mapping and all texts are plain words: such values are readable on one line. */
function isFlat(value: object): boolean {
  const items = Object.values(value);
  return items.every((item) =>
    typeof item === 'string' ? /^[\w.@/-]*$/.test(item) : typeof item !== 'object' || item === null,
  );
}
