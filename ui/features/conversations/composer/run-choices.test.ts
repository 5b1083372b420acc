import { describe, expect, it } from 'vitest';
import type { ClientList } from '../../../../daemon/contract/clients.js';
import { clientFor, lackingIn, NO_CHOICES, toOverrides, toRunChoices } from './run-choices.js';

const clients: ClientList = {
  model_connected: true,
  auto: 'claude-code',
  clients: [
    { name: 'builtin', ready: true, reason: null, models: ['builtin'], efforts: [] },
    { name: 'claude-code', ready: true, reason: null, models: ['opus', 'sonnet'], efforts: ['low', 'high'] },
    { name: 'acp', ready: false, reason: 'No agent is configured.', models: [], efforts: [] },
  ],
};
const nothing = NO_CHOICES;
const lacking = (choices: Partial<typeof nothing>, asMember = 'auto') => {
  const chosen = { ...nothing, ...choices };
  return lackingIn(chosen, clientFor(chosen, asMember, clients));
};

describe('run choices', () => {
  it('use the member’s defaults when nothing is chosen', () => {
    expect(toOverrides(nothing)).toEqual({ client: null, model: null, effort: null, isolation: null });
    const chosen = { client: 'acp', model: 'opus', effort: 'high', isolation: 'worktree' };
    expect(toOverrides({ ...chosen, model: ' opus ' })).toEqual(chosen);
    const isolation = { chosen: null, resolved: 'worktree', reason: '', fixed: false, branch: null } as const;
    expect(toRunChoices({ client: null, model: 'opus', effort: null, isolation })).toEqual({
      ...nothing,
      model: 'opus',
    });
    expect(
      toRunChoices({ client: null, model: null, effort: null, isolation: { ...isolation, chosen: 'project' } }),
    ).toEqual({ ...nothing, isolation: 'project' });
  });

  it('resolve the client from the choice, else from the member, and auto from the machine', () => {
    expect(clientFor(nothing, 'builtin', clients)?.name).toBe('builtin');
    expect(clientFor(nothing, 'auto', clients)?.name).toBe('claude-code');
    expect(clientFor({ ...nothing, client: 'acp' }, 'builtin', clients)?.name).toBe('acp');
    expect(clientFor(nothing, 'auto', undefined)).toBeUndefined();
  });

  it('lack nothing that the client supports or every client understands', () => {
    expect(lacking({ model: 'sonnet', effort: 'high' })).toEqual({});
    expect(lacking({ model: 'strongest', effort: 'default' })).toEqual({});
    expect(lacking({ client: 'builtin', model: 'strongest', effort: 'default' })).toEqual({});
  });

  it('report an unsupported effort, model or client and the alternatives', () => {
    expect(lacking({ effort: 'max' }).effort).toBe(
      'claude-code has no level max: it would run at its default. It has low, high.',
    );
    expect(lacking({ client: 'builtin', effort: 'high' }).effort).toBe(
      'builtin has no effort levels: it would run at its default.',
    );
    expect(lacking({ client: 'builtin', model: 'opus' }).model).toBe('builtin runs no model: opus would not be used.');
    expect(lacking({ model: 'gpt' }).model).toBe('claude-code does not list gpt. It offers opus, sonnet.');
    expect(lacking({ client: 'acp', model: 'anything' })).toEqual({
      client: 'acp is not ready: No agent is configured.',
    });
  });
});
