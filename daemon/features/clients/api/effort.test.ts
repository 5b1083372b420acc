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
    ['anthropic', 'claude-opus-4-8', 'default', { provider: 'anthropic' }],
    ['openai-compatible', 'qwen3:8b', 'high', { provider: 'openai-compatible', reasoningEffort: 'high' }],
    ['openai-compatible', 'qwen3:8b', 'max', { provider: 'openai-compatible' }],
  ] as const)('at %s for %s, %s is sent as %j', (provider, model, effort, options) => {
    expect(effortOptions(provider, model, effort)).toEqual(options);
  });
});
