import { InvalidArgumentError } from 'commander';

/**
 * Values in the types that the daemon expects. The daemon coerces nothing, so the text of each key is converted here.
 */
export type Settings = Record<string, unknown>;

const INTEGERS = new Set(['pinned_order']);
const CLAIMS = new Set(['required']);
/** Lists of single words, which may be separated by commas. */
const WORD_LISTS = new Set(['tools', 'refs']);
/** Lists of sentences: one `--set` each, or a JSON list. */
const SENTENCE_LISTS = new Set(['examples']);
const STRUCTURES = new Set(['limits', 'pricing', 'payment', 'skills', 'availability', 'contact', 'rate_limits']);

function fromJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError(`"${key}" takes JSON, and this is not: ${text}`);
  }
}

function integer(key: string, text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError(`"${key}" takes a whole number, not "${text}".`);
  return Number(text);
}

function claim(key: string, text: string): boolean {
  if (text !== 'true' && text !== 'false')
    throw new InvalidArgumentError(`"${key}" takes true or false, not "${text}".`);
  return text === 'true';
}

/** Structures whose fields can be set one by one, with the type of a field. */
const FIELDS: Readonly<Record<string, (key: string, text: string) => unknown>> = {
  limits: integer,
  rate_limits: integer,
  contact: (_key, text) => text,
  availability: (key, text) => (key === 'availability.now' ? claim(key, text) : text),
};

function valueIn(key: string, text: string): unknown {
  if (INTEGERS.has(key)) return integer(key, text);
  if (CLAIMS.has(key)) return claim(key, text);
  if (STRUCTURES.has(key)) return fromJson(key, text);
  if ((WORD_LISTS.has(key) || SENTENCE_LISTS.has(key)) && text.startsWith('[')) return fromJson(key, text);
  if (WORD_LISTS.has(key)) return text.split(',').map((word) => word.trim());
  if (SENTENCE_LISTS.has(key)) return [text];
  return text;
}

/**
 * Adds one `key=value` to `settings`. Repeating a list key appends to it; `limits.turns=20` sets one field of a
 * structure; an empty value is null, which clears the key. Throws InvalidArgumentError when `pair` is not `key=value`
 * or the value does not have the type of the key.
 */
export function addSetting(pair: string, settings: Settings = {}): Settings {
  const equals = pair.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError(`Write it as key=value, not "${pair}".`);
  const [key = '', field] = pair.slice(0, equals).split('.', 2);
  const text = pair.slice(equals + 1);
  const before = settings[key];
  if (field !== undefined) {
    const read = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    if (!read)
      throw new InvalidArgumentError(
        `Only ${Object.keys(FIELDS).join(', ')} have fields, such as limits.turns; write "${key}" as JSON.`,
      );
    return { ...settings, [key]: { ...(before as object | undefined), [field]: read(`${key}.${field}`, text) } };
  }
  if (text === '') return { ...settings, [key]: null };
  const value = valueIn(key, text);
  return { ...settings, [key]: Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value };
}
