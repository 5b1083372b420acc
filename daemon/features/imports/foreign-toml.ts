import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlDate, TomlError } from 'smol-toml';
import type { Problem } from '../../contract/team.js';
import { getErrorMessage } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import type { Data, ForeignAgent } from './foreign-agent.js';

/** The key of the prompt in a file format without a body. */
const PROMPT = 'developer_instructions';
/** The key that wraps a value for which YAML and JSON have no type. */
const TAG = '$toml';

/** Parses a TOML agent file. Dates and numbers that JSON lacks become `{$toml: text}`, which an export restores. */
export function readTomlAgent(text: string): ForeignAgent | Problem {
  let whole: Data;
  try {
    whole = parse(text.replace(/^\uFEFF/, ''), {
      maxDepth: 32,
      integersAsBigInt: 'asNeeded',
      unsafeKeyBehaviour: 'throw',
    });
  } catch (error) {
    if (!(error instanceof TomlError)) return { line: 1, column: 1, reason: getErrorMessage(error) };
    return {
      line: error.line,
      column: error.column,
      reason: (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, ''),
    };
  }
  const { [PROMPT]: prompt, ...data } = whole;
  if (prompt !== undefined && typeof prompt !== 'string')
    return { line: 1, column: 1, reason: `\`${PROMPT}\` must be a text.` };
  return { data: portable(data) as Data, body: prompt ?? '' };
}

/** Writes a new TOML agent file: plain keys, then the prompt (multi-line where needed), then tables. */
export function tomlAgentText(data: Data, body: string): string {
  const native = fromPortable(data) as Data;
  const plain = Object.entries(native).filter(([, value]) => !isTable(value));
  const tables = Object.entries(native).filter(([, value]) => isTable(value));
  const head = plain.length === 0 ? '' : `${stringify(Object.fromEntries(plain)).trimEnd()}\n`;
  const tail = tables.length === 0 ? '' : `\n${stringify(Object.fromEntries(tables)).trimEnd()}\n`;
  const whole = (prompt: string) => `${head}${PROMPT} = ${prompt}\n${tail}`;
  const readable = whole(multiline(body));
  const back = readTomlAgent(readable);
  return 'data' in back && back.body === body && isDeepStrictEqual(back.data, data)
    ? readable
    : stringify({ ...native, [PROMPT]: body });
}

function multiline(text: string): string {
  if (!text.includes('\n')) return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
  const isLiteral = text.includes('\\') && !text.includes("'''") && !text.endsWith("'") && !/[^\n\t\P{Cc}]/u.test(text);
  if (isLiteral) return `'''\n${text}'''`;
  const escaped = text
    .split('\n')
    .map((line) =>
      JSON.stringify(line).slice(1, -1).replaceAll('\u007f', '\\u007f').replaceAll('\\"', '"').replaceAll('\\t', '\t'),
    )
    .join('\n');
  return `"""\n${escaped.replaceAll('""', '"\\"').replace(/"$/, '\\"')}"""`;
}

const isTable = (value: unknown) =>
  (isObject(value) && !(value instanceof Date)) ||
  (Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && !(item instanceof Date)));

/** Converts a value to JSON types. Dates, non-finite numbers and integers too long for JSON become `{$toml: text}`. */
export function portable(value: unknown): unknown {
  if (value instanceof TomlDate) return { [TAG]: value.toISOString() };
  if (typeof value === 'bigint') return { [TAG]: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value))
    return { [TAG]: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' };
  if (Array.isArray(value)) return value.map(portable);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, portable(item)]));
}

function fromPortable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPortable);
  if (!isObject(value)) return value;
  const { [TAG]: tagged, ...others } = value;
  if (typeof tagged === 'string' && Object.keys(others).length === 0) return getNative(tagged);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== undefined)
      .map(([key, item]) => [key, fromPortable(item)]),
  );
}

function getNative(tagged: string): unknown {
  if (tagged === 'nan') return Number.NaN;
  if (tagged === 'inf') return Number.POSITIVE_INFINITY;
  if (tagged === '-inf') return Number.NEGATIVE_INFINITY;
  if (/^-?\d+$/.test(tagged)) return BigInt(tagged);
  const date = new TomlDate(tagged);
  return date.isValid() ? date : tagged;
}
