import { describe, expect, it } from 'vitest';
import { compileSkillSchema, laterSkillSchema, prepareSkillSchemas } from './skill-schema.js';
import { checkSchemaShape, type JsonSchema, movedSchema } from './skill-schema-walk.js';

const compile = (schema: unknown) => compileSkillSchema(schema, 'skills.0.input_schema');
const nested = (levels: number) => {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let i = 0; i < levels; i += 1) schema = { properties: { a: schema } };
  return schema;
};
/** Each definition refers to the next one twice. */
const doubling = (levels: number) => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, i) => [
      `d${i}`,
      i === levels - 1 ? { type: 'string' } : { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  ),
});

describe('a schema of a skill', () => {
  it('names the field that is invalid', () => {
    const check = compile({
      type: 'object',
      properties: {
        prompt: { type: 'string', minLength: 1 },
        tier: { enum: ['mini', 'max'] },
        places: { items: { $ref: '#/$defs/place' } },
      },
      required: ['prompt'],
      additionalProperties: false,
      $defs: { place: { type: 'object', properties: { lat: { type: 'number', maximum: 90 } } } },
    });
    expect(check({ prompt: 'x', tier: 'max', places: [{ lat: 1 }] })).toBeUndefined();
    expect(check({})).toEqual({ path: 'prompt', said: 'is required' });
    expect(check({ prompt: 7 })).toEqual({ path: 'prompt', said: 'must be string' });
    expect(check({ prompt: 'x', tier: 'huge' })).toEqual({ path: 'tier', said: 'must be one of "mini", "max"' });
    expect(check({ prompt: 'x', more: 1 })).toMatchObject({ path: 'more', unknownKey: 'more' });
    expect(check({ prompt: 'x', places: [{}, { lat: 91 }] })).toEqual({ path: 'places.1.lat', said: 'must be <= 90' });
    expect(check('x')).toEqual({ path: '', said: 'must be object' });
  });

  it('does not coerce, default or remove values, and does not accept inherited properties as keys', () => {
    const check = compile({
      type: 'object',
      properties: { n: { type: 'integer', default: 3 } },
      required: ['constructor'],
    });
    const value = { n: '3', constructor: 1 };
    expect(check(value)).toEqual({ path: 'n', said: 'must be integer' });
    expect(value).toEqual({ n: '3', constructor: 1 });
    expect(check({})).toEqual({ path: 'constructor', said: 'is required' });
  });

  it('is read the same under either dialect', () => {
    for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema']) {
      expect(compile({ $schema, type: 'string' })(7)).toEqual({ path: '', said: 'must be string' });
    }
  });

  it.each<[string, unknown, string]>([
    ['a reference to another document', { $ref: 'https://evil.example/schema.json' }, 'skills.0.input_schema.$ref'],
    [
      'a reference to a file',
      { properties: { a: { $ref: 'file:///etc/passwd' } } },
      'skills.0.input_schema.properties.a.$ref',
    ],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 'skills.0.input_schema.$ref'],
    ['a reference to what is no schema', { const: { type: 'x' }, $ref: '#/const' }, 'skills.0.input_schema.$ref'],
    ['an id', { $id: 'https://evil.example/x' }, 'skills.0.input_schema.$id'],
    [
      'data of the caller’s as a rule',
      { properties: { a: { $data: '1/b' } } },
      'skills.0.input_schema.properties.a.$data',
    ],
    ['a schema that contains itself', { properties: { a: { $ref: '#' } } }, 'skills.0.input_schema'],
    [
      'a ring',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      'skills.0.input_schema.$defs.a',
    ],
    ['a ring that nothing leads to', { $defs: { a: { not: { $ref: '#/$defs/a' } } } }, 'skills.0.input_schema.$defs.a'],
    ['doubling without end', doubling(40), 'skills.0.input_schema'],
    [
      'a list that is looked through for every value',
      { items: { enum: Array.from({ length: 2_000 }, (_, i) => i) } },
      'skills.0.input_schema',
    ],
    ['depth', nested(40), 'skills.0.input_schema.'],
    ['size', { description: 'x'.repeat(40_000) }, 'skills.0.input_schema'],
    ['a catastrophic comparison', { type: 'array', uniqueItems: true }, 'skills.0.input_schema.uniqueItems'],
    ['look-around', { pattern: '(?=a)b' }, 'skills.0.input_schema'],
    ['a pattern that is none', { patternProperties: { '(': {} } }, 'skills.0.input_schema'],
    ['another dialect', { $schema: 'https://evil.example/dialect' }, 'skills.0.input_schema.$schema'],
    ['a tuple of draft-07', { items: [{ type: 'string' }] }, 'skills.0.input_schema.items'],
    ['a type that is none', { type: 'strnig' }, 'skills.0.input_schema'],
    ['a list', [], 'skills.0.input_schema'],
    ['nothing', null, 'skills.0.input_schema'],
    ['a text', 'true', 'skills.0.input_schema'],
  ])('is rejected for %s, with its path', (_name, schema, path) => {
    let refusal: unknown;
    try {
      compile(schema);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'bad_request', details: { path: expect.stringContaining(path) } });
  });

  it('runs patterns on which a backtracking engine would not finish', () => {
    const check = compile({ type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' });
    expect(check('a'.repeat(60))).toMatchObject({ path: '', said: expect.stringContaining('pattern') });
    const many = compile({ type: 'array', items: { pattern: '(?:a?){400}b' } });
    expect(many(Array.from({ length: 2_000 }, () => `${'a'.repeat(400)}b`))).toMatchObject({
      said: expect.stringContaining('too long to check'),
    });
  });

  it('keeps the patterns of several properties apart', () => {
    const check = compile({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
    expect(check({ a: 'a', b: 'b' })).toBeUndefined();
    expect(check({ a: 'b' })).toMatchObject({ path: 'a' });
  });

  it('compares items with each other only after maxItems is checked', () => {
    const check = compile({ type: 'array', uniqueItems: true, maxItems: 100 });
    expect(check(Array.from({ length: 100_000 }, (_, i) => [i]))).toMatchObject({
      said: 'must NOT have more than 100 items',
    });
    expect(check([[1], [1]])).toMatchObject({ said: expect.stringContaining('NOT have duplicate items') });
  });

  it('keeps its references when it is moved into a larger document', () => {
    const schema = {
      $schema: 'x',
      properties: { a: { $ref: '#/$defs/p' }, $ref: { const: { $ref: '#' } } },
      $defs: { p: { $ref: '#/$defs/q' }, q: true },
    };
    expect(movedSchema(schema, '#/components/schemas/s')).toEqual({
      properties: { a: { $ref: '#/components/schemas/s/$defs/p' }, $ref: { const: { $ref: '#' } } },
      $defs: { p: { $ref: '#/components/schemas/s/$defs/q' }, q: true },
    });
  });

  it('is true for every value, and false for none', () => {
    expect([compile(true)(7), compile(false)(7)]).toEqual([undefined, expect.objectContaining({ path: '' })]);
  });

  it.each<[unknown, string]>([
    [{ pattern: '(?=a)b' }, 'has a pattern that uses look-around, a back reference or a mode, which are not run here.'],
    [
      { properties: { a: { type: 'strnig' } } },
      'is no JSON Schema: properties.a.type must be equal to one of the allowed values.',
    ],
    [{ type: 7 }, 'is no JSON Schema: type '],
    [[], 'must be a JSON Schema: an object.'],
    [{ description: 'x'.repeat(40_000) }, 'is larger than 32768 bytes.'],
    [doubling(40), 'comes to more than 1000 parts once its references are written out.'],
  ])('is told why it is rejected: %j', (schema, reason) => {
    expect(() => compile(schema)).toThrow(`\`skills.0.input_schema\` ${reason}`);
  });

  it('names a key as it is written, whatever it holds', () => {
    const check = compile({ properties: { 'a/b~c': { type: 'string' } } });
    expect(check({ 'a/b~c': 7 })).toEqual({ path: 'a/b~c', said: 'must be string' });
  });

  it('names a key that is left over', () => {
    const check = compile({ properties: { a: {} }, unevaluatedProperties: false });
    expect(check({ a: 1, more: 2 })).toEqual({
      path: 'more',
      said: 'is not a key that the skill knows',
      unknownKey: 'more',
    });
  });

  it('tells what is allowed in at most 300 characters', () => {
    const said = compile({ enum: Array.from({ length: 200 }, (_, value) => value) })('x')?.said ?? '';
    expect(said).toMatch(/^must be one of 0, 1, 2, /);
    expect(said).toHaveLength('must be one of '.length + 300);
  });

  it('of this project is compiled for its first value, once', () => {
    let reads = 0;
    const schema = {
      get type() {
        reads += 1;
        return 'string';
      },
    };
    const check = laterSkillSchema(schema, 'at');
    expect(reads).toBe(0);
    expect([check('x'), check(7)]).toEqual([undefined, { path: '', said: 'must be string' }]);
    const before = reads;
    expect([check('y'), reads]).toEqual([undefined, before]);
    expect(laterSkillSchema([], 'at')).not.toThrow(TypeError);
    prepareSkillSchemas();
  });
});

describe('the shape of a schema', () => {
  const refusalOf = (schema: unknown): [unknown, string] | undefined => {
    try {
      checkSchemaShape(schema, 's');
    } catch (error) {
      return [(error as { details: Record<string, unknown> }).details['path'], (error as Error).message];
    }
    return undefined;
  };
  const ONE = ['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames'];
  ONE.push('unevaluatedItems', 'unevaluatedProperties', 'contentSchema');
  const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
  const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
  const BAD = { $id: 'x' };

  it.each<[string, unknown, string]>([
    ...ONE.map((key): [string, unknown, string] => [key, BAD, `s.${key}.$id`]),
    ...MANY.map((key): [string, unknown, string] => [key, [true, BAD], `s.${key}.1.$id`]),
    ...NAMED.map((key): [string, unknown, string] => [key, { a: {}, b: BAD }, `s.${key}.b.$id`]),
  ])('is checked within %s', (key, value, path) => {
    expect(refusalOf({ [key]: value })).toEqual([path, `\`${path}\` is not taken: a schema stands for itself.`]);
  });

  it.each<[string, unknown, string, string]>([
    ...ONE.filter((key) => key !== 'items').map((key): [string, unknown, string, string] => [
      key,
      7,
      '',
      'must be a JSON Schema: an object or a boolean',
    ]),
    ...MANY.map((key): [string, unknown, string, string] => [key, {}, '', 'must be a list of schemas']),
    ...MANY.map((key): [string, unknown, string, string] => [
      key,
      [null],
      '.0',
      'must be a JSON Schema: an object or a boolean',
    ]),
    ...NAMED.map((key): [string, unknown, string, string] => [key, [], '', 'must be an object of schemas']),
    ['items', [], '', 'must be one schema: a list of them is `prefixItems`'],
  ])('is rejected when %s is %j', (key, value, below, reason) => {
    const path = `s.${key}${below}`;
    expect(refusalOf({ [key]: value })).toEqual([path, `\`${path}\` ${reason}.`]);
  });

  it.each([
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
  ])('is rejected with the keyword %s', (key) => {
    expect(refusalOf({ [key]: '#' })?.[0]).toBe(`s.${key}`);
  });

  it.each([
    ['http://json-schema.org/draft-07/schema', true],
    ['http://json-schema.org/draft-07/schema#', true],
    ['https://json-schema.org/draft-07/schema', true],
    ['https://json-schema.org/draft/2020-12/schema#', true],
    ['https://json-schema.org/draft/2020-12/schema', true],
    ['https://json-schema.org/draft/2019-09/schema', false],
    ['https://json-schema.org/draft-07/schema#x', false],
    ['see https://json-schema.org/draft-07/schema', false],
    [7, false],
  ])('is of a dialect that is accepted: %s: %s', ($schema, isAccepted) => {
    expect(refusalOf({ $schema })).toEqual(
      isAccepted ? undefined : ['s.$schema', '`s.$schema` must be draft 2020-12 or draft-07 of JSON Schema.'],
    );
  });

  it.each(['x#/$defs/a', '#a', 'x', 7])('has no reference such as %j', ($ref) => {
    expect(refusalOf({ $ref, $defs: { a: {} } })).toEqual([
      's.$ref',
      '`s.$ref` must point into the schema itself, such as "#/$defs/place": nothing is fetched.',
    ]);
  });

  it('has references whose names are escaped', () => {
    expect(refusalOf({ $ref: '#/$defs/a~1b~0c%20%25', $defs: { 'a/b~c %': {} } })).toBeUndefined();
    for (const $ref of ['#/$defs/a/b', '#/$defs/%', '#/$defs']) {
      expect(refusalOf({ $ref, $defs: { 'a/b': {}, '%': {} } })).toEqual([
        's.$ref',
        `\`s.$ref\` points to ${$ref}, where there is no schema.`,
      ]);
    }
  });

  it('has references to any schema of it, a boolean too, that do not lead back', () => {
    expect(refusalOf({ anyOf: [{ $ref: '#/anyOf/1' }, { $ref: '#/$defs/a' }], $defs: { a: true } })).toBeUndefined();
    expect(refusalOf({ $ref: '#' })).toEqual([
      's',
      '`s` leads back to itself: a schema that contains itself is not taken.',
    ]);
  });

  it('has at most 24 levels', () => {
    expect(refusalOf(nested(24))).toBeUndefined();
    expect(refusalOf(nested(25))?.[1]).toMatch(/ is nested deeper than 24 levels\.$/);
  });

  it('has at most 32 KiB', () => {
    const rest = 32 * 1024 - Buffer.byteLength(JSON.stringify({ description: '' }));
    expect(refusalOf({ description: 'x'.repeat(rest) })).toBeUndefined();
    expect(refusalOf({ description: 'x'.repeat(rest + 1) })?.[0]).toBe('s');
    expect(refusalOf({ description: 'ä'.repeat(rest / 2 + 1) })?.[0]).toBe('s');
  });

  it.each<[string, (entries: number) => JsonSchema]>([
    ['parts', (count) => ({ anyOf: Array.from({ length: count }, () => ({})) })],
    ['values', (count) => ({ enum: Array.from({ length: count }, (_, value) => value) })],
    ['required keys', (count) => ({ required: Array.from({ length: count }, (_, key) => `k${key}`) })],
    ['dependent keys', (count) => ({ dependentRequired: { a: Array.from({ length: count }, (_, key) => `k${key}`) } })],
  ])('comes to at most 1,000 parts, counted with its %s', (_what, schema) => {
    expect(refusalOf(schema(999))).toBeUndefined();
    expect(refusalOf(schema(1_000))?.[1]).toContain('more than 1000 parts');
  });

  it('counts a definition where it is referred to, once each time', () => {
    const referring = (times: number) => ({
      anyOf: Array.from({ length: times }, () => ({ $ref: '#/$defs/a' })),
      $defs: { a: { anyOf: Array.from({ length: 98 }, () => ({})) } },
    });
    expect([refusalOf(referring(9)), refusalOf(referring(10))?.[0]]).toEqual([undefined, 's']);
  });

  it('compares items with each other only up to 1,000 of them', () => {
    expect(refusalOf({ uniqueItems: true, maxItems: 1_000 })).toBeUndefined();
    expect(refusalOf({ uniqueItems: false })).toBeUndefined();
    for (const maxItems of [1_001, '10', undefined]) {
      expect(refusalOf({ uniqueItems: true, maxItems })).toEqual([
        's.uniqueItems',
        '`s.uniqueItems` needs a `maxItems` of at most 1000 beside it.',
      ]);
    }
  });

  it('is plain JSON', () => {
    const ring: Record<string, unknown> = {};
    ring['default'] = ring;
    expect(refusalOf(ring)).toEqual(['s', '`s` must be plain JSON.']);
    expect(refusalOf({ default: 1n })).toEqual(['s', '`s` must be plain JSON.']);
  });

  it('has its references below every keyword moved', () => {
    const part = { $ref: '#/$defs/p' };
    const moved = { $ref: '#/x/$defs/p' };
    const withAll = (one: JsonSchema) => ({
      ...Object.fromEntries(ONE.map((key) => [key, one])),
      ...Object.fromEntries(MANY.map((key) => [key, [one, true]])),
      ...Object.fromEntries(NAMED.map((key) => [key, { a: one, b: false }])),
    });
    expect(movedSchema(withAll(part), '#/x')).toEqual(withAll(moved));
    expect([movedSchema(true, '#/x'), movedSchema({ $ref: 7 }, '#/x')]).toEqual([true, { $ref: 7 }]);
  });
});
