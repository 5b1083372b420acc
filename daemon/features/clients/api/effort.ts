import type { ApiProvider } from './api-settings.js';

/** The request options that set a provider's effort; empty for its default. */
export type EffortOptions =
  | {
      provider: 'anthropic';
      effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
      thinking?: { type: 'adaptive' } | { type: 'enabled'; budgetTokens: number };
    }
  | { provider: 'openai-compatible'; reasoningEffort?: string };

const COMMON_LEVELS = ['low', 'medium', 'high'] as const;
const ALL_LEVELS = [...COMMON_LEVELS, 'xhigh', 'max'] as const;
const BUDGET_TOKENS = { low: 2_048, medium: 8_192, high: 16_384, max: 32_000 } as const;

/** How a Claude model accepts effort. Models from 4.6 on choose the thinking length; older ones take a token budget. */
type EffortSupport = 'adaptive-xhigh' | 'adaptive-max' | 'adaptive' | 'effort-only' | 'budget' | 'none';

const EFFORT_SUPPORT: readonly (readonly [RegExp, EffortSupport])[] = [
  [/claude-(?:[12]|instant|3-(?:opus|sonnet|haiku|5))/, 'none'],
  [
    /claude-3-7|claude-(?:sonnet|haiku)-4-5|claude-(?:opus|sonnet)-4-(?:[01](?!\d)|\d{8})|claude-(?:opus|sonnet)-4$/,
    'budget',
  ],
  [/claude-opus-4-5/, 'effort-only'],
  [/claude-sonnet-4-6/, 'adaptive'],
  [/claude-opus-4-6/, 'adaptive-max'],
  [/claude-/, 'adaptive-xhigh'],
];

const getEffortSupport = (model: string): EffortSupport =>
  EFFORT_SUPPORT.find(([name]) => name.test(model))?.[1] ?? 'none';

/** The effort levels that `model` supports besides `default`. */
export function effortLevels(provider: ApiProvider, model: string): readonly string[] {
  // The levels that Ollama, vLLM, LM Studio and the OpenAI service all accept.
  if (provider === 'openai-compatible') return COMMON_LEVELS;
  switch (getEffortSupport(model)) {
    case 'adaptive-xhigh':
      return ALL_LEVELS;
    case 'adaptive-max':
      return [...COMMON_LEVELS, 'max'];
    case 'adaptive':
    case 'effort-only':
      return COMMON_LEVELS;
    case 'budget':
      return Object.keys(BUDGET_TOKENS);
    case 'none':
      return [];
  }
}

/** Returns the request options for `effort`. A level that the model does not support means its default. */
export function effortOptions(provider: ApiProvider, model: string, effort: string): EffortOptions {
  const isKnown = effortLevels(provider, model).includes(effort);
  if (provider === 'openai-compatible') return { provider, ...(isKnown ? { reasoningEffort: effort } : {}) };
  if (!isKnown) return { provider };
  const manner = getEffortSupport(model);
  if (manner === 'budget') {
    return {
      provider,
      thinking: { type: 'enabled', budgetTokens: BUDGET_TOKENS[effort as keyof typeof BUDGET_TOKENS] },
    };
  }
  const level = effort as (typeof ALL_LEVELS)[number];
  return { provider, effort: level, ...(manner === 'effort-only' ? {} : { thinking: { type: 'adaptive' } as const }) };
}
