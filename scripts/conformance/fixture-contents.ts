/** A PNG image of one pixel, in Base64. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
/** A WAV file without samples, in Base64. */
export const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

export const text = (words: string) => ({ type: 'text' as const, text: words });
export const picture = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };

const ENUM = ['option1', 'option2', 'option3'];
const titled = (names: readonly string[], title: (index: number) => string) =>
  names.map((name, index) => ({ const: name, title: title(index) }));
const ORDINALS = ['First', 'Second', 'Third'];

/** A form with a default for every type of field. */
export const DEFAULTS_FORM = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, default: 'John Doe' },
    age: { type: 'integer' as const, default: 30 },
    score: { type: 'number' as const, default: 95.5 },
    status: { type: 'string' as const, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean' as const, default: true },
  },
};

/** A form with every kind of choice. */
export const ENUMS_FORM = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: ENUM },
    titledSingle: {
      type: 'string' as const,
      oneOf: titled(['value1', 'value2', 'value3'], (index) => `${ORDINALS[index]} Option`),
    },
    legacyEnum: {
      type: 'string' as const,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: ENUM } },
    titledMulti: {
      type: 'array' as const,
      items: { anyOf: titled(['value1', 'value2', 'value3'], (index) => `${ORDINALS[index]} Choice`) },
    },
  },
};

/** An input schema with features that are new in JSON Schema 2020-12. */
export const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; the object is never awaited.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
