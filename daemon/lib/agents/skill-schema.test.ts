import { describe, expect, it } from 'vitest';
import { compileSkillSchema } from './skill-schema.js';
import { movedSchema } from './skill-schema-walk.js';

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
});
