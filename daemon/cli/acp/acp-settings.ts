import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import type { ClientList } from '../../contract/clients.js';
import type { Conversation, ConversationPatch } from '../../contract/conversations.js';
import { invalidParams } from './acp-errors.js';

/** The value that leaves a setting to the member's file. */
const AS_MEMBER = 'as-member';
const SETTINGS = ['client', 'model', 'effort'] as const;
type Setting = (typeof SETTINGS)[number];

const NAMES: Readonly<Record<Setting, { name: string; category: string }>> = {
  client: { name: 'Client', category: '_client' },
  model: { name: 'Model', category: 'model' },
  effort: { name: 'Effort', category: 'thought_level' },
};

function listValues(setting: Setting, conversation: Conversation, { clients }: ClientList): string[] {
  const runsOn = clients.find(({ name }) => name === conversation.client_resolved);
  if (setting === 'model') return runsOn?.models ?? [];
  if (setting === 'effort') return runsOn?.efforts ?? [];
  return clients.filter(({ ready }) => ready).map(({ name }) => name);
}

/** The settings of a conversation that an editor can change. One that has no alternative is left out. */
export function listSettings(conversation: Conversation, clients: ClientList): SessionConfigOption[] {
  return SETTINGS.flatMap((setting): SessionConfigOption[] => {
    const current = conversation[setting];
    const known = listValues(setting, conversation, clients);
    const values = current === null || known.includes(current) ? known : [current, ...known];
    if (values.length === 0) return [];
    const resolved = conversation[`${setting}_resolved`];
    const asMember = current === null ? `As the member says (${resolved})` : 'As the member says';
    return [
      {
        ...NAMES[setting],
        id: setting,
        type: 'select',
        currentValue: current ?? AS_MEMBER,
        options: [{ value: AS_MEMBER, name: asMember }, ...values.map((value) => ({ value, name: value }))],
      },
    ];
  });
}

/** The change of a conversation that sets `id` to `value`. Throws -32602 for an unknown setting. */
export function toPatch(id: string, value: string | boolean): ConversationPatch {
  if (!(SETTINGS as readonly string[]).includes(id) || typeof value !== 'string')
    throw invalidParams(`There is no setting "${id}": it is one of ${SETTINGS.join(', ')}.`);
  return { [id]: value === AS_MEMBER ? null : value };
}
