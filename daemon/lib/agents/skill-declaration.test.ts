import { describe, expect, it } from 'vitest';
import type { PricingRow } from '../../contract/team.js';
import { findExamplesMistake, readSkill, readSkills } from './skill-declaration.js';

const TWEET = { id: 'tweet', description: 'Writes a tweet about a prompt.' };
const rows = (...tiers: string[]): PricingRow[] =>
  tiers.map((tier, index) => ({
    unit: 'request',
    amount: 100 * (index + 1),
    currency: 'lamports',
    network: 'solana:local',
    tier,
  }));

describe('a declared skill', () => {
  it.each([
    ['input_schema', 'output_schema'],
    ['inputSchema', 'outputSchema'],
  ])('has its schemas under %s and %s', (input, output) => {
    const skill = readSkill(
      {
        ...TWEET,
        [input]: { properties: { prompt: { type: 'string' } }, required: ['prompt'] },
        [output]: { required: ['tweet'] },
      },
      'skills.0',
      [],
    );
    expect(skill).toMatchObject({
      id: 'tweet',
      name: 'Tweet',
      tags: [],
      examples: [],
      input_schema: { required: ['prompt'] },
      output_schema: { required: ['tweet'] },
    });
    expect(skill.checkInput({})).toMatchObject({ path: 'prompt' });
    expect(skill.checkOutput?.({})).toMatchObject({ path: 'tweet' });
  });

  it('accepts any object when it declares no input schema', () => {
    const skill = readSkill(TWEET, 'skills.0', []);
    expect([skill.checkInput({ a: 1 }), skill.checkInput([])]).toEqual([
      undefined,
      { path: '', said: 'must be object' },
    ]);
    expect(Object.keys(skill).filter((key) => key.endsWith('_schema'))).toEqual([]);
  });

  it('accepts a tier of its prices in its input, its own before those of the agent', () => {
    const closed = { type: 'object', properties: { prompt: {} }, additionalProperties: false };
    const skill = readSkill({ ...TWEET, input_schema: closed }, 'skills.0', rows('mini', 'max'));
    expect(skill.checkInput({ prompt: 'x', tier: 'max' })).toBeUndefined();
    expect(skill.checkInput({ prompt: 'x', tier: 'huge' })).toMatchObject({ path: 'tier' });
    const own = readSkill({ ...TWEET, input_schema: closed, pricing: rows('own') }, 'skills.0', rows('mini', 'max'));
    expect([own.hasOwnPrices, own.checkInput({ tier: 'own' })]).toEqual([true, undefined]);
    expect(readSkill({ ...TWEET, input_schema: closed }, 'skills.0', []).checkInput({ tier: 'x' })).toMatchObject({
      unknownKey: 'tier',
    });
  });

  it.each<[string, unknown, string]>([
    ['no id', { description: 'x' }, 'skills.0.id'],
    ['an id that is no path', { ...TWEET, id: 'Tweet It' }, 'skills.0.id'],
    ['an id that is a path of the agent', { ...TWEET, id: 'topup' }, 'skills.0.id'],
    ['no description', { id: 'tweet' }, 'skills.0.description'],
    ['a schema that is none', { ...TWEET, input_schema: { type: 'strnig' } }, 'skills.0.input_schema'],
    [
      'a schema from elsewhere',
      { ...TWEET, outputSchema: { $ref: 'https://evil.example' } },
      'skills.0.output_schema.$ref',
    ],
    ['both spellings', { ...TWEET, input_schema: {}, inputSchema: {} }, 'skills.0.inputSchema'],
    [
      'half a lamport',
      { ...TWEET, pricing: { unit: 'x', amount: 0.5, currency: 'lamports' } },
      'skills.0.pricing.amount',
    ],
    ['a text', 'tweet', 'skills.0'],
    ['nothing', null, 'skills.0'],
  ])('is reported as a mistake with %s, and the other skills are served', (_name, declared, path) => {
    const { skills, mistakes } = readSkills([declared, { ...TWEET, id: 'other' }], []);
    expect(skills.map(({ id }) => id)).toEqual(['other']);
    expect(mistakes.map((one) => one.path.join('.'))).toEqual([path]);
  });

  it('must have a unique id', () => {
    const { skills, mistakes } = readSkills([TWEET, TWEET, { ...TWEET, id: 'ask' }], [], ['ask']);
    expect([skills.length, mistakes.map((one) => one.path.join('.'))]).toEqual([1, ['skills.1.id', 'skills.2.id']]);
  });

  it('keeps what it says of itself', () => {
    const said = { ...TWEET, name: 'Write it', tags: ['text'], examples: ['One.', 'Two.'] };
    expect(readSkill(said, 'skills.0', rows('mini'))).toMatchObject({
      ...said,
      prices: rows('mini'),
      hasOwnPrices: false,
    });
    const [own] = rows('own');
    expect(readSkill({ ...TWEET, pricing: own, more: 1 }, 'skills.0', rows('mini')).prices).toEqual([own]);
    expect(readSkill({ ...TWEET, more: 1 }, 'skills.0', [])).not.toHaveProperty('more');
  });

  it.each<[string, Record<string, unknown>]>([
    ['the longest id', { id: 'a'.repeat(64) }],
    ['an id of several parts', { id: 'a-1-b' }],
    ['the longest name', { name: 'n'.repeat(200) }],
    ['the longest description', { description: 'd'.repeat(10_000) }],
    ['32 tags of 64 characters', { tags: Array(32).fill('t'.repeat(64)) }],
    ['16 examples of 2,000 characters', { examples: Array(16).fill('e'.repeat(2_000)) }],
    ['16 prices', { pricing: rows(...Array.from({ length: 16 }, (_, tier) => `t${tier}`)) }],
  ])('may have %s', (_what, more) => {
    expect(() => readSkill({ ...TWEET, ...more }, 'skills.0', [])).not.toThrow();
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a longer id', { id: 'a'.repeat(65) }, 'id'],
    ['an id of blanks', { id: ' a' }, 'id'],
    ['an id with an empty part', { id: 'a--b' }, 'id'],
    ['an id that ends with a hyphen', { id: 'a-' }, 'id'],
    ['an empty name', { name: '' }, 'name'],
    ['a longer name', { name: 'n'.repeat(201) }, 'name'],
    ['an empty description', { description: '' }, 'description'],
    ['a longer description', { description: 'd'.repeat(10_001) }, 'description'],
    ['33 tags', { tags: Array(33).fill('t') }, 'tags'],
    ['an empty tag', { tags: [''] }, 'tags.0'],
    ['a longer tag', { tags: ['t'.repeat(65)] }, 'tags.0'],
    ['17 examples', { examples: Array(17).fill('e') }, 'examples'],
    ['an empty example', { examples: ['e', ''] }, 'examples.1'],
    ['a longer example', { examples: ['e'.repeat(2_001)] }, 'examples.0'],
    ['a schema that is a text', { input_schema: 'x' }, 'input_schema'],
    ['a schema that is a list', { outputSchema: [] }, 'outputSchema'],
    ['an id that is kept', { id: 'balance' }, 'id'],
    ['half a lamport', { pricing: { unit: 'x', amount: 0.5, currency: 'lamports' } }, 'pricing.amount'],
  ])('may not have %s', (_what, more, key) => {
    expect(() => readSkill({ ...TWEET, ...more }, 'skills.3', [])).toThrow(
      expect.objectContaining({ code: 'bad_request', details: { path: `skills.3.${key}` } }),
    );
  });

  it.each<[Record<string, unknown>, string]>([
    [{ id: 'Tweet It' }, '`skills.0.id` must be kebab-case, such as `tweet-with-image`: it is a part of a path.'],
    [{ id: undefined }, '`skills.0.id` is required.'],
    [{ id: 'topup' }, '`skills.0.id` `topup` is a path of the agent itself: choose another.'],
    [{ tags: 'x' }, '`skills.0.tags` must be array.'],
    [
      { output_schema: {}, outputSchema: {} },
      '`skills.0.outputSchema` is another word for `output_schema`: give one of them.',
    ],
    [
      { pricing: rows('a')[0] && { ...rows('a')[0], amount: 0.5 } },
      '`skills.0.pricing.amount` must be a whole number of lamports.',
    ],
  ])('with %j is told what is expected', (more, message) => {
    const { mistakes } = readSkills([{ ...TWEET, ...more }], []);
    expect(mistakes.map(({ reason }) => reason)).toEqual([message]);
  });

  it('that another one stands for is told so', () => {
    const { mistakes } = readSkills([TWEET, TWEET, { ...TWEET, id: 'ask' }], [], ['ask']);
    expect(mistakes.map(({ reason }) => reason)).toEqual([
      '`skills.1.id` `tweet` stands twice.',
      '`skills.2.id` `ask` is a skill that it has anyway.',
    ]);
  });

  it('has the tier of its prices in the schema of its input, unless it declares one', () => {
    const tier = { type: 'string', enum: ['mini', 'max'], description: expect.stringContaining('first one') };
    const inputOf = (input_schema: unknown) =>
      readSkill({ ...TWEET, input_schema }, 'skills.0', [
        ...rows('mini', 'max', 'mini'),
        ...rows('x').map((row) => ({ ...row, tier: undefined }) as unknown as PricingRow),
      ]).input_schema;
    expect(inputOf(undefined)).toEqual({ type: 'object', properties: { tier } });
    expect(inputOf({ title: 'T' })).toEqual({ title: 'T', properties: { tier } });
    expect(inputOf({ properties: { a: {} } })).toEqual({ properties: { a: {}, tier } });
    const own = { properties: { tier: { type: 'integer' } } };
    expect(inputOf(own)).toEqual(own);
    const last = { properties: { a: {}, tier: { const: 'mini' } } };
    expect(inputOf(last)).toEqual(last);
  });

  it('is compiled under the path of each of its schemas', () => {
    const compiled: [unknown, string][] = [];
    const compile = (schema: unknown, at: string) => {
      compiled.push([schema, at]);
      return () => undefined;
    };
    readSkill({ ...TWEET, outputSchema: { title: 'O' } }, 'skills.7', [], compile);
    expect(compiled).toEqual([
      [{ type: 'object' }, 'skills.7.input_schema'],
      [{ title: 'O' }, 'skills.7.output_schema'],
    ]);
    expect(readSkill(TWEET, 'skills.7', [], compile).checkOutput).toBeUndefined();
  });
});

it('the examples of a member are 2 to 4, or none', () => {
  expect([undefined, [], ['a', 'b']].map(findExamplesMistake)).toEqual([undefined, undefined, undefined]);
  expect(findExamplesMistake(['a'])).toEqual({
    path: ['examples'],
    reason: '`examples` must be 2 to 4 asks, or none.',
  });
});
