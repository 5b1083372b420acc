import type { Tier1Card } from '../../contract/network/agents.js';
import { formatSum } from '../../lib/text/price-sum.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { lookUp } from './agent-surfaces.js';

/** The column of one surface; its state is `not registered` where the surface does not have the agent. */
interface Column {
  state: string;
  verified: string;
  endpoint: string;
  description: string;
  capabilities: string;
  tags: string;
  pricing: string;
  since: string;
  seen: string;
}

const time = (seconds: number | null | undefined) => (seconds == null ? '' : utcTime(seconds));
/** `free`, `$0.05/request`, or empty without a price. */
export function formatPrice(pricing: Tier1Card['pricing'] | null | undefined): string {
  if (pricing == null) return '';
  const sum = formatSum(pricing);
  return sum === 'free' ? sum : `${sum}/${pricing.unit}`;
}

const UNKNOWN: Column = {
  state: 'not registered',
  verified: '',
  endpoint: '',
  description: '',
  capabilities: '',
  tags: '',
  pricing: '',
  since: '',
  seen: '',
};

interface Facts {
  state: string;
  endpoint: string | null | undefined;
  agent_card: Tier1Card | null;
  verified: boolean;
  description: string | null;
  capabilities: string[];
  registered_at: number | null;
  last_seen: number | null;
}

function column({ state, endpoint, agent_card, ...facts }: Facts): Column {
  return {
    state,
    verified: facts.verified ? 'yes' : 'no',
    endpoint: endpoint ?? '',
    description: facts.description ?? agent_card?.description ?? '',
    capabilities: facts.capabilities.join(', '),
    tags: (agent_card?.tags ?? []).join(', '),
    pricing: formatPrice(agent_card?.pricing),
    since: time(facts.registered_at),
    seen: time(facts.last_seen),
  };
}

const LABELS: Readonly<Record<keyof Column, string>> = {
  state: 'State',
  verified: 'Verified',
  endpoint: 'Endpoint',
  description: 'Description',
  capabilities: 'Capabilities',
  tags: 'Tags',
  pricing: 'Price',
  since: 'Registered (UTC)',
  seen: 'Last seen (UTC)',
};

/** Prints the records of both surfaces for an agent side by side. Throws `not_found` when neither has it. */
export async function showAgent(
  terminal: Terminal,
  client: HttpClient,
  id: string,
  json: boolean | undefined,
): Promise<void> {
  const { hub, v1 } = await lookUp(client, id);
  if (!hub && !v1)
    throw new CommandError(EXIT.notFound, `Neither the hub nor the unified API knows an agent ${id}.`, 'not_found');
  const agent_id = hub?.agent_id ?? v1?.agent_id ?? id;
  if (json) return terminal.object({ agent_id, hub, v1 });
  const onHub = hub
    ? column({ ...hub, state: hub.online ? 'online' : 'offline', endpoint: hub.agent_card?.endpoint })
    : UNKNOWN;
  const stateOnV1 = v1?.registered ? `${v1.live ? 'online' : 'offline'}, ${v1.avail_status}` : 'catalog entry only';
  const onV1 = v1 ? column({ ...v1, state: stateOnV1 }) : UNKNOWN;
  const rows = (Object.keys(LABELS) as (keyof Column)[]).filter((key) => onHub[key] !== '' || onV1[key] !== '');
  terminal.table(
    rows.map((key) => [LABELS[key], onHub[key], onV1[key]]),
    [agent_id, 'HUB', 'UNIFIED API'],
  );
  if (v1?.catalog) terminal.answer(printable(`Catalog: ${v1.catalog.name}, ${v1.catalog.url} (${v1.catalog.source})`));
}
