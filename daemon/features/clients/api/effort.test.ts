import { describe, expect, it } from 'vitest';
import { effortLevels, effortOptions } from './effort.js';

describe('effort', () => {
  it.each([
    ['claude-opus-5-5', ['low', 'medium', 'high', 'xhigh', 'max']],
    ['claude-opus-4-8', ['low', 'medium', 'high', 'xhigh', 'max']],
    ['claude-opus-4-6', ['low', 'medium', 'high', 'max']],
    ['claude-sonnet-4-6', ['low', 'medium', 'high']],
    ['claude-opus-4-5-20251101', ['low', 'medium', 'high']],
    ['claude-sonnet-4-5', ['low', 'medium', 'high', 'max']],
    ['claude-haiku-4-5-20251001', ['low', 'medium', 'high', 'max']],
    ['claude-sonnet-4-20250514', ['low', 'medium', 'high', 'max']],
    ['claude-opus-4-1', ['low', 'medium', 'high', 'max']],
    ['claude-3-7-sonnet-latest', ['low', 'medium', 'high', 'max']],
    ['claude-3-5-haiku-latest', []],
    ['claude-2.1', []],
    ['claude-1.3', []],
    ['claude-instant-1.2', []],
    ['claude-3-opus-20240229', []],
    ['claude-3-sonnet-20240229', []],
    ['claude-3-haiku-20240307', []],
    ['claude-opus-4', ['low', 'medium', 'high', 'max']],
    ['claude-sonnet-4', ['low', 'medium', 'high', 'max']],
    ['claude-sonnet-4-0', ['low', 'medium', 'high', 'max']],
    ['claude-opus-4-1-20250805', ['low', 'medium', 'high', 'max']],
    ['claude-opus-4-20250514', ['low', 'medium', 'high', 'max']],
    ['claude-opus-4-10', ['low', 'medium', 'high', 'xhigh', 'max']],
    ['claude-haiku-4-6', ['low', 'medium', 'high', 'xhigh', 'max']],
    ['eu.anthropic.claude-opus-4-6-v1:0', ['low', 'medium', 'high', 'max']],
    ['', []],
    ['some-other-model', []],
  ])('of %s has the levels %j', (model, levels) => {
    expect(effortLevels('anthropic', model)).toEqual(levels);
  });

  it.each([
    [
      'anthropic',
      'claude-opus-4-8',
      'xhigh',
      { provider: 'anthropic', effort: 'xhigh', thinking: { type: 'adaptive' } },
    ],
    ['anthropic', 'claude-opus-4-5', 'low', { provider: 'anthropic', effort: 'low' }],
    [
      'anthropic',
      'claude-sonnet-4-5',
      'medium',
      { provider: 'anthropic', thinking: { type: 'enabled', budgetTokens: 8_192 } },
    ],
    ['anthropic', 'claude-sonnet-4-5', 'minimal', { provider: 'anthropic' }],
    [
      'anthropic',
      'claude-sonnet-4-5',
      'low',
      { provider: 'anthropic', thinking: { type: 'enabled', budgetTokens: 2_048 } },
    ],
    [
      'anthropic',
      'claude-sonnet-4-5',
      'high',
      { provider: 'anthropic', thinking: { type: 'enabled', budgetTokens: 16_384 } },
    ],
    [
      'anthropic',
      'claude-sonnet-4-5',
      'max',
      { provider: 'anthropic', thinking: { type: 'enabled', budgetTokens: 32_000 } },
    ],
    ['anthropic', 'claude-opus-4-6', 'max', { provider: 'anthropic', effort: 'max', thinking: { type: 'adaptive' } }],
    ['anthropic', 'claude-sonnet-4-6', 'max', { provider: 'anthropic' }],
    ['anthropic', 'claude-sonnet-4-6', 'low', { provider: 'anthropic', effort: 'low', thinking: { type: 'adaptive' } }],
    ['anthropic', 'claude-opus-4-8', 'default', { provider: 'anthropic' }],
    ['openai-compatible', 'qwen3:8b', 'high', { provider: 'openai-compatible', reasoningEffort: 'high' }],
    ['openai-compatible', 'qwen3:8b', 'max', { provider: 'openai-compatible' }],
  ] as const)('at %s for %s, %s is sent as %j', (provider, model, effort, options) => {
    expect(effortOptions(provider, model, effort)).toEqual(options);
  });

  it('of any model of an OpenAI-compatible endpoint has the levels that all of them take', () => {
    expect(effortLevels('openai-compatible', 'claude-opus-4-8')).toEqual(['low', 'medium', 'high']);
  });
});
