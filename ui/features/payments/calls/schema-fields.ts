import { isObject } from '../../../../daemon/lib/is-object.js';
/** The form field of one property of a skill's input. */
export interface InputField {
  name: string;
  kind: 'line' | 'text' | 'number' | 'whole' | 'choice' | 'lines' | 'json';
  isRequired: boolean;
  says: string;
  choices: string[];
  maxLength?: number;
  /** The initial text of the field. */
  initial: string;
}

type Json = Record<string, unknown>;
/** Longer texts get more than one line. */
const LINE_MAX_CHARS = 120;
/** An input with more properties is written as JSON. */
const FIELDS_MAX = 24;

function getKind(schema: Json): InputField['kind'] {
  const { type, enum: values, maxLength, items } = schema;
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return 'choice';
  if (type === 'boolean') return 'choice';
  if (type === 'string') return typeof maxLength === 'number' && maxLength <= LINE_MAX_CHARS ? 'line' : 'text';
  if (type === 'integer') return 'whole';
  if (type === 'number') return 'number';
  return type === 'array' && isObject(items) && items['type'] === 'string' ? 'lines' : 'json';
}

function toText(value: unknown, kind: InputField['kind']): string {
  if (value === undefined) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  return kind !== 'json' && ['string', 'number', 'boolean'].includes(typeof value)
    ? String(value)
    : JSON.stringify(value, null, 2);
}

/**
 * Returns the fields of an input schema; undefined when a form cannot represent it and the input is written as JSON.
 */
export function listFields(schema: unknown): InputField[] | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(schema) || !isObject(properties)) return undefined;
  const names = Object.keys(properties);
  if (names.length === 0 || names.length > FIELDS_MAX) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return names.map((name) => {
    const property = isObject(properties[name]) ? properties[name] : {};
    const kind = getKind(property);
    const { enum: values, description, maxLength } = property;
    return {
      name,
      kind,
      isRequired: required.includes(name),
      says: typeof description === 'string' ? description : '',
      choices: Array.isArray(values) ? values.map(String) : property['type'] === 'boolean' ? ['true', 'false'] : [],
      ...(typeof maxLength === 'number' ? { maxLength } : {}),
      initial: toText(property['default'], kind),
    };
  });
}

/**
 * Splits the fields into those shown at once and those shown on demand. Shown at once are the required ones, or the
 * first one when none is required, and the tier, which determines the price.
 */
export function splitFields(fields: readonly InputField[]): { asked: InputField[]; more: InputField[] } {
  const required = fields.filter(({ isRequired }) => isRequired);
  const first = required.length > 0 ? required : fields.slice(0, 1);
  const asked = [
    ...first,
    ...fields.filter((field) => field.name === 'tier' && field.kind === 'choice' && !first.includes(field)),
  ];
  return { asked, more: fields.filter((field) => !asked.includes(field)) };
}

export type Typed = Record<string, string>;

/** Builds the input of a call from the typed text, with problems per field. Empty fields are omitted. */
export function parseInput(fields: readonly InputField[], typed: Typed): { input: Json; problems: Typed } {
  const input: Json = {};
  const problems: Typed = {};
  for (const field of fields) {
    const text = typed[field.name] ?? field.initial;
    if (text.trim() === '') {
      if (field.isRequired) problems[field.name] = 'The skill needs this.';
      continue;
    }
    const read = valueTyped(field, text);
    if (read.fault === undefined) input[field.name] = read.value;
    else problems[field.name] = read.fault;
  }
  return { input, problems };
}

function valueTyped({ kind, choices, maxLength }: InputField, text: string): { value?: unknown; fault?: string } {
  switch (kind) {
    case 'choice':
      return {
        value: choices.includes('true') && choices.length === 2 && choices.includes('false') ? text === 'true' : text,
      };
    case 'whole':
      return /^-?\d{1,15}$/.test(text.trim()) ? { value: Number(text) } : { fault: 'A whole number.' };
    case 'number':
      return Number.isFinite(Number(text)) ? { value: Number(text) } : { fault: 'A number.' };
    case 'lines':
      return { value: text.split('\n').filter((line) => line.trim() !== '') };
    case 'json':
      return jsonIn(text);
    default:
      return maxLength !== undefined && [...text].length > maxLength
        ? { fault: `At most ${maxLength} characters; this has ${[...text].length}.` }
        : { value: text };
  }
}

function jsonIn(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: 'That is not JSON.' };
  }
}

/** Parses a whole input written as JSON. */
export function inputInJson(text: string): { input?: Json; fault?: string } {
  if (text.trim() === '') return { input: {} };
  const { value, fault } = jsonIn(text);
  if (fault !== undefined) return { fault };
  return isObject(value) ? { input: value } : { fault: 'The input of a skill is one JSON object.' };
}

/**
 * Converts an example of the card to typed text: a JSON object field by field, plain text into the first text field.
 */
export function typedFromExample(example: string, fields: readonly InputField[]): Typed {
  const { value } = jsonIn(example);
  if (isObject(value)) {
    return Object.fromEntries(
      fields.filter(({ name }) => name in value).map(({ name, kind }) => [name, toText(value[name], kind)]),
    );
  }
  const first =
    fields.find(({ kind, isRequired }) => (kind === 'text' || kind === 'line') && isRequired) ??
    fields.find(({ kind }) => kind === 'text' || kind === 'line');
  return first ? { [first.name]: example } : {};
}
