import { describe, expect, it } from 'vitest';
import { inputInJson, listFields, parseInput, splitFields, typedFromExample } from './schema-fields.js';

const SCHEMA = {
  type: 'object',
  properties: {
    prompt: { type: 'string', description: 'What to write about.' },
    tier: { type: 'string', enum: ['mini', 'standard'], default: 'mini' },
    language: { type: 'string', maxLength: 8 },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    loud: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object' },
  },
  required: ['prompt'],
};
const fields = listFields(SCHEMA) ?? [];

describe('form of a skill', () => {
  it('has a field of the right kind for each property', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'prompt text',
      'tier choice',
      'language line',
      'count whole',
      'ratio number',
      'loud choice',
      'tags lines',
      'place json',
    ]);
    expect(fields[1]?.choices).toEqual(['mini', 'standard']);
    expect(fields[1]?.initial).toBe('mini');
    expect(fields[5]?.choices).toEqual(['true', 'false']);
  });

  it('is JSON when the schema has no usable properties', () => {
    for (const schema of [undefined, null, [], 'x', {}, { properties: {} }, { properties: [] }])
      expect(listFields(schema)).toBeUndefined();
  });

  it('shows the required fields, or the first one when none is required, and the tier', () => {
    expect(splitFields(fields).asked.map(({ name }) => name)).toEqual(['prompt', 'tier']);
    const loose = listFields({ properties: { text: { type: 'string' }, session: { type: 'string' } } }) ?? [];
    expect(splitFields(loose)).toMatchObject({ asked: [{ name: 'text' }], more: [{ name: 'session' }] });
  });

  it('builds the input and omits empty fields', () => {
    const typed = {
      prompt: 'Fog',
      count: '3',
      ratio: '0.5',
      loud: 'false',
      tags: 'a\n\nb',
      place: '{"lat":1}',
      language: '',
    };
    expect(parseInput(fields, typed)).toEqual({
      input: { prompt: 'Fog', tier: 'mini', count: 3, ratio: 0.5, loud: false, tags: ['a', 'b'], place: { lat: 1 } },
      problems: {},
    });
  });

  it('reports problems field by field', () => {
    const { problems } = parseInput(fields, { count: '1.5', ratio: 'much', place: '{', language: 'esperanto' });
    expect(Object.keys(problems)).toEqual(['prompt', 'language', 'count', 'ratio', 'place']);
  });

  it('fills in an example of the card, as JSON or as plain text', () => {
    expect(typedFromExample('{"prompt":"Fog","tags":["a","b"],"other":1}', fields)).toEqual({
      prompt: 'Fog',
      tags: 'a\nb',
    });
    expect(typedFromExample('Write about fog', fields)).toEqual({ prompt: 'Write about fog' });
  });

  it('parses a whole input written as JSON', () => {
    expect(inputInJson('')).toEqual({ input: {} });
    expect(inputInJson('{"a":1}')).toEqual({ input: { a: 1 } });
    expect(inputInJson('[1]').fault).toMatch(/one JSON object/);
    expect(inputInJson('{').fault).toMatch(/not JSON/);
  });
});
