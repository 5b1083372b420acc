import { describe, expect, it } from 'vitest';
import type { PricingRow } from '../../contract/team.js';
import { readSkill, readSkills } from './skill-declaration.js';

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
    expect(skill).not.toHaveProperty('input_schema');
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
});
