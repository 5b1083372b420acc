import { expect, it } from 'vitest';
import { AGENT_TYPES } from '../../contract/team.js';
import { getTypePrompt, isAgentType } from './agent-types.js';

it('every agent type has a prompt of its own, and an unknown one that of `custom`', () => {
  const prompts = AGENT_TYPES.map(getTypePrompt);
  expect(new Set(prompts).size).toBe(AGENT_TYPES.length);
  expect(prompts.every((prompt) => prompt.trim() !== '')).toBe(true);
  expect(getTypePrompt('party')).toBe(getTypePrompt('custom'));
  expect([isAgentType('audit'), isAgentType('party')]).toEqual([true, false]);
});
