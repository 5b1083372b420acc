/** Writes the contract's schemas as TypeScript types, with their descriptions. */

const IN_NAMES = /^[A-Za-z_$][\w$]*$/;
const PLAIN = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' };

/** Returns a key for a schema. Schemas with equal content have equal keys. */
export const keyOf = (schema) => JSON.stringify(schema, (key, value) => (key.startsWith('~') ? undefined : value));

const literalUnion = (values) => values.map((value) => JSON.stringify(value)).join(' | ');
const inParens = (text) => (/[|&]/.test(text.replaceAll(/\{.*\}|"[^"]*"/gs, '')) ? `(${text})` : text);
const indented = (text) => text.replaceAll('\n', '\n  ');

/** Returns a comment of one or several lines. */
function comment(text) {
  const words = text.replaceAll('*/', '*\\/');
  return `/** ${words} */\n`;
}

function objectText(schema, names) {
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema;
  const parts = [];
  const fields = Object.entries(properties).map(([key, field]) => {
    const name = IN_NAMES.test(key) ? key : JSON.stringify(key);
    const said = field.description === undefined ? '' : comment(field.description);
    return `${said}${name}${required.includes(key) ? '' : '?'}: ${textOf(field, names)};`;
  });
  if (fields.length > 0) parts.push(`{\n  ${indented(fields.join('\n'))}\n}`);
  for (const rest of Object.values(patternProperties ?? {})) parts.push(`Record<string, ${textOf(rest, names)}>`);
  if (parts.length === 0)
    parts.push(additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>');
  return parts.join(' & ');
}

/**
 * Returns the TypeScript type of `schema`. `names.ofKey` contains type names by schema key, `names.ofId` by `$id`. With
 * `isWhole` the schema itself is written out even if it has a name. Throws for schema keywords that the contract does
 * not use.
 */
export function textOf(schema, names, isWhole = false) {
  const name = isWhole ? undefined : (schema['x-type'] ?? names.ofKey.get(keyOf(schema)));
  if (name !== undefined) return name;
  if (schema.$ref !== undefined) {
    const found = names.ofId.get(schema.$ref);
    if (found === undefined) throw new Error(`No type of the contract stands for the schema ${schema.$ref}.`);
    return found;
  }
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return literalUnion(schema.enum);
  if (schema.anyOf) return schema.anyOf.map((one) => textOf(one, names)).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => inParens(textOf(one, names))).join(' & ');
  if (schema.type === 'array') {
    if (Array.isArray(schema.items)) return `[${schema.items.map((one) => textOf(one, names)).join(', ')}]`;
    return `${inParens(textOf(schema.items ?? {}, names))}[]`;
  }
  if (schema.type === 'object') return objectText(schema, names);
  if (schema.type === undefined) return 'unknown';
  const plain = PLAIN[schema.type];
  if (plain === undefined)
    throw new Error(`A schema of the type ${JSON.stringify(schema.type)} has no TypeScript type here.`);
  return plain;
}

/** Returns the type of a constant, as `typeof` yields it, or with `isItem` the type of its items. */
export function constantText(value, isItem) {
  if (isItem) return literalUnion(value);
  return Array.isArray(value)
    ? `readonly [${value.map((one) => JSON.stringify(one)).join(', ')}]`
    : JSON.stringify(value);
}
