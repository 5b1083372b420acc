import type { ClientInfo, ClientList } from '../../../daemon/contract/clients.js';
import type { ConversationPatch } from '../../../daemon/contract/conversations.js';

/** What a conversation is to run on, as chosen in a form; empty: as its member says. */
export interface RunChoices {
  client: string;
  model: string;
  effort: string;
}

type Overrides = Required<Pick<ConversationPatch, 'client' | 'model' | 'effort'>>;

export const choicesOf = ({ client, model, effort }: Overrides): RunChoices => ({
  client: client ?? '',
  model: model ?? '',
  effort: effort ?? '',
});

/** The choices as the daemon takes them: null where nothing is chosen. */
export function overridesOf({ client, model, effort }: RunChoices): Overrides {
  return {
    client: (client || null) as Overrides['client'],
    model: model.trim() || null,
    effort: (effort || null) as Overrides['effort'],
  };
}

/** The client that would run it: the chosen one, else what `asMember` says; `auto` is what the machine makes of it. */
export function clientFor(
  { client }: RunChoices,
  asMember: string,
  clients: ClientList | undefined,
): ClientInfo | undefined {
  const name = client || asMember;
  return clients?.clients.find((one) => one.name === (name === 'auto' ? clients.auto : name));
}

const OFFERED = 6;
/** Words that every client understands. */
const KNOWN_MODELS = ['strongest'];
const KNOWN_EFFORTS = ['default'];

/** What the client lacks of what is chosen, per field, and what it has instead. */
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
