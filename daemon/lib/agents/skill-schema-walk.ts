import { MeshError } from '../errors.js';
import { isObject } from '../is-object.js';

/**
 * Limits of a JSON Schema: its size as JSON, its nesting depth, and its number of parts with all references expanded.
 */
const SCHEMA_BYTES_MAX = 32 * 1024;
const DEPTH_MAX = 24;
const PARTS_MAX = 1_000;
/** `uniqueItems` compares items with each other, and is accepted only with a `maxItems` of at most this. */
const UNIQUE_ITEMS_MAX = 1_000;

export type JsonSchema = boolean | { [key: string]: unknown };

const ONE = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
] as const;
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
/** Keywords whose schemas are reached by references only: they are not evaluated in place. */
const ASIDE: readonly string[] = ['$defs', 'definitions'];
/**
 * Keywords that let a schema refer to another document or to itself by another name, or that readers interpret
 * differently.
 */
const REFUSED = [
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'dependencies',
  'additionalItems',
  '$data',
];
const DIALECTS = /^https?:\/\/json-schema\.org\/(?:draft-07\/schema#?|draft\/2020-12\/schema#?)$/;

const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');
const refuse = (at: string, message: string) =>
  new MeshError('bad_request', `\`${at}\` ${message}.`, { details: { path: at } });

interface Part {
  schema: Record<string, unknown>;
  /** The path as it is shown in a message. */
  at: string;
  children: { pointer: string; isAside: boolean }[];
}

/**
 * Throws `bad_request` with `path` unless an untrusted `schema` is safe to compile and run: an object or a boolean of
 * bounded size and depth, whose references stay within it and form no cycle, with a bounded number of parts once they
 * are expanded. `at` is its path.
 */
export function checkSchemaShape(schema: unknown, at: string): asserts schema is JsonSchema {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) throw refuse(at, 'must be a JSON Schema: an object');
  const text = safeJson(schema, at);
  if (Buffer.byteLength(text) > SCHEMA_BYTES_MAX) throw refuse(at, `is larger than ${SCHEMA_BYTES_MAX} bytes`);
  const parts = new Map<string, Part>();
  collect(schema, '', at, 0, parts);
  countWrittenOut(parts, at);
}

function safeJson(schema: unknown, at: string): string {
  try {
    return JSON.stringify(schema);
  } catch {
    throw refuse(at, 'must be plain JSON');
  }
}

function collect(value: unknown, pointer: string, at: string, depth: number, parts: Map<string, Part>): void {
  if (typeof value === 'boolean') {
    parts.set(pointer, { schema: {}, at, children: [] });
    return;
  }
  if (!isObject(value)) throw refuse(at, 'must be a JSON Schema: an object or a boolean');
  if (depth > DEPTH_MAX) throw refuse(at, `is nested deeper than ${DEPTH_MAX} levels`);
  const part: Part = { schema: value, at, children: [] };
  parts.set(pointer, part);
  checkKeywords(value, at);
  const child = (schema: unknown, steps: readonly string[], isAside = false) => {
    const below = `${pointer}${steps.map((step) => `/${escaped(step)}`).join('')}`;
    part.children.push({ pointer: below, isAside });
    collect(schema, below, [at, ...steps].join('.'), depth + 1, parts);
  };
  for (const key of ONE) if (value[key] !== undefined) child(value[key], [key]);
  for (const key of MANY) {
    const list = value[key];
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw refuse(`${at}.${key}`, 'must be a list of schemas');
    for (const [index, schema] of list.entries()) child(schema, [key, String(index)]);
  }
  for (const key of NAMED) {
    const named = value[key];
    if (named === undefined) continue;
    if (!isObject(named)) throw refuse(`${at}.${key}`, 'must be an object of schemas');
    for (const [name, schema] of Object.entries(named)) child(schema, [key, name], ASIDE.includes(key));
  }
}

function checkKeywords(schema: Record<string, unknown>, at: string): void {
  for (const key of REFUSED) {
    if (schema[key] !== undefined) throw refuse(`${at}.${key}`, 'is not taken: a schema stands for itself');
  }
  const { $ref, $schema, items, uniqueItems, maxItems } = schema;
  if (Array.isArray(items)) throw refuse(`${at}.items`, 'must be one schema: a list of them is `prefixItems`');
  if ($ref !== undefined && (typeof $ref !== 'string' || !/^#(?:\/|$)/.test($ref))) {
    throw refuse(`${at}.$ref`, 'must point into the schema itself, such as "#/$defs/place": nothing is fetched');
  }
  if ($schema !== undefined && (typeof $schema !== 'string' || !DIALECTS.test($schema))) {
    throw refuse(`${at}.$schema`, 'must be draft 2020-12 or draft-07 of JSON Schema');
  }
  if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= UNIQUE_ITEMS_MAX)) {
    throw refuse(`${at}.uniqueItems`, `needs a \`maxItems\` of at most ${UNIQUE_ITEMS_MAX} beside it`);
  }
}

/** Counts the parts that are evaluated for one value with every reference expanded: a shared part counts each time. */
function countWrittenOut(parts: ReadonlyMap<string, Part>, at: string): void {
  const known = new Map<string, number>();
  const open = new Set<string>();
  const count = (pointer: string): number => {
    const part = parts.get(pointer) as Part;
    const counted = known.get(pointer);
    if (counted !== undefined) return counted;
    if (open.has(pointer)) throw refuse(part.at, 'leads back to itself: a schema that contains itself is not taken');
    open.add(pointer);
    let total = 1 + listed(part.schema);
    for (const { pointer: below, isAside } of part.children) total += isAside ? 0 : count(below);
    const { $ref } = part.schema;
    if (typeof $ref === 'string') {
      const target = decoded($ref.slice(1));
      if (target === undefined || !parts.has(target))
        throw refuse(`${part.at}.$ref`, `points to ${$ref}, where there is no schema`);
      total += count(target);
    }
    open.delete(pointer);
    if (total > PARTS_MAX)
      throw refuse(at, `comes to more than ${PARTS_MAX} parts once its references are written out`);
    known.set(pointer, total);
    return total;
  };
  // Unreferenced parts are counted too, because they are compiled.
  for (const pointer of parts.keys()) count(pointer);
}

/** The number of list entries that a part compares one by one. */
function listed({ enum: values, required, dependentRequired }: Record<string, unknown>): number {
  const lists = [values, required, ...(isObject(dependentRequired) ? Object.values(dependentRequired) : [])];
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

function decoded(pointer: string): string | undefined {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return undefined;
  }
}

/**
 * Returns a copy of `schema` whose internal references point below `base`, for a document that contains several
 * schemas.
 */
export function movedSchema(schema: JsonSchema, base: string): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const moved: Record<string, unknown> = { ...schema };
  delete moved['$schema'];
  if (typeof schema['$ref'] === 'string') moved['$ref'] = `${base}${schema['$ref'].slice(1)}`;
  const move = (value: unknown) => movedSchema(value as JsonSchema, base);
  for (const key of ONE) if (schema[key] !== undefined) moved[key] = move(schema[key]);
  for (const key of MANY) if (Array.isArray(schema[key])) moved[key] = (schema[key] as unknown[]).map(move);
  for (const key of NAMED) {
    const named = schema[key];
    if (isObject(named)) moved[key] = Object.fromEntries(Object.entries(named).map(([name, one]) => [name, move(one)]));
  }
  return moved;
}
