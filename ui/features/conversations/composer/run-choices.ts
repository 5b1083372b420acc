import type { ClientInfo, ClientList } from '../../../../daemon/contract/clients.js';
import type { Conversation, ConversationPatch } from '../../../../daemon/contract/conversations.js';

/** Client, model, effort and place of a conversation as chosen in a form. An empty string means the member's default. */
export interface RunChoices {
  client: string;
  model: string;
  effort: string;
  isolation: string;
}

export const NO_CHOICES: RunChoices = { client: '', model: '', effort: '', isolation: '' };

type Overrides = Required<Pick<ConversationPatch, 'client' | 'model' | 'effort' | 'isolation'>>;

export const toRunChoices = ({
  client,
  model,
  effort,
  isolation,
}: Pick<Conversation, 'client' | 'model' | 'effort' | 'isolation'>): RunChoices => ({
  client: client ?? '',
  model: model ?? '',
  effort: effort ?? '',
  isolation: isolation.chosen ?? '',
});

/** Converts the choices to the daemon's form: null for the member's default. */
export function toOverrides({ client, model, effort, isolation }: RunChoices): Overrides {
  return {
    client: (client || null) as Overrides['client'],
    model: model.trim() || null,
    effort: (effort || null) as Overrides['effort'],
    isolation: (isolation || null) as Overrides['isolation'],
  };
}

/**
 * Returns the client that would run the conversation: the chosen one, else `requireMember`. `auto` is resolved to what
 * the daemon chose for this machine.
 */
export function clientFor(
  { client }: RunChoices,
  asMember: string,
  clients: ClientList | undefined,
): ClientInfo | undefined {
  const name = client || asMember;
  return clients?.clients.find((one) => one.name === (name === 'auto' ? clients.auto : name));
}

const OFFERED = 6;
/** Values that every client understands. */
const KNOWN_MODELS = ['strongest'];
const KNOWN_EFFORTS = ['default'];

/** Returns, per field, what the client does not support and its alternatives. */
export function lackingIn(
  choices: RunChoices,
  client: ClientInfo | undefined,
): Partial<Record<keyof RunChoices, string>> {
  if (!client) return {};
  const lacking: Partial<Record<keyof RunChoices, string>> = {};
  const { name, models, efforts } = client;
  const model = choices.model.trim();
  if (!client.ready) lacking.client = `${name} is not ready: ${client.reason ?? 'no reason given.'}`;
  if (model !== '' && name === 'builtin' && !models.includes(model) && !KNOWN_MODELS.includes(model))
    lacking.model = `builtin runs no model: ${model} would not be used.`;
  else if (model !== '' && models.length > 0 && !models.includes(model) && !KNOWN_MODELS.includes(model))
    lacking.model = `${name} does not list ${model}. It offers ${models.slice(0, OFFERED).join(', ')}.`;
  if (choices.effort !== '' && !efforts.includes(choices.effort) && !KNOWN_EFFORTS.includes(choices.effort))
    lacking.effort =
      efforts.length === 0
        ? `${name} has no effort levels: it would run at its default.`
        : `${name} has no level ${choices.effort}: it would run at its default. It has ${efforts.join(', ')}.`;
  return lacking;
}
