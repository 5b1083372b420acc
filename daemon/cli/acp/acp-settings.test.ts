import { describe, expect, it } from 'vitest';
import type { ClientList } from '../../contract/clients.js';
import type { Conversation } from '../../contract/conversations.js';
import { listSettings } from './acp-settings.js';

const CLIENTS: ClientList = {
  clients: [
    { name: 'builtin', ready: true, reason: null, models: [], efforts: [] },
    { name: 'acp', ready: true, reason: null, models: ['large', 'small'], efforts: ['low', 'high'] },
    { name: 'api', ready: false, reason: 'No key.', models: ['far'], efforts: [] },
  ],
  auto: 'acp',
  model_connected: true,
};

function settings(changes: Partial<Conversation>) {
  const conversation = {
    ...{ client: null, model: null, effort: null },
    ...{ client_resolved: 'acp', model_resolved: 'large', effort_resolved: 'low' },
    ...changes,
  } as Conversation;
  return Object.fromEntries(
    listSettings(conversation, CLIENTS).map((one) => [
      one.id,
      one.type === 'select' && [
        one.currentValue,
        one.options.flatMap((option) => ('value' in option ? option.value : [])),
      ],
    ]),
  );
}

describe('the settings of a conversation in an editor', () => {
  it.each<[string, Partial<Conversation>, object]>([
    [
      'offer the clients that are ready, and what the one it runs on has',
      {},
      {
        client: ['as-member', ['as-member', 'builtin', 'acp']],
        model: ['as-member', ['as-member', 'large', 'small']],
        effort: ['as-member', ['as-member', 'low', 'high']],
      },
    ],
    [
      'keep a chosen value that its client does not list, as the current one',
      { client: 'api', model: 'old', effort: 'high' },
      {
        client: ['api', ['as-member', 'api', 'builtin', 'acp']],
        model: ['old', ['as-member', 'old', 'large', 'small']],
        effort: ['high', ['as-member', 'low', 'high']],
      },
    ],
    [
      'are left out where there is nothing to choose',
      { client_resolved: 'builtin' },
      { client: ['as-member', ['as-member', 'builtin', 'acp']] },
    ],
  ])('%s', (_rule, changes, shown) => {
    expect(settings(changes)).toEqual(shown);
  });
});
