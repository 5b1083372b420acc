import type { MeshEvent } from '../../contract/events.js';
import type { RegistryRecord, RegistryRegistration } from '../../contract/network/registry.js';
import type { Bus } from '../../events/bus.js';
import type { TestApp } from './test-app.js';

type Caller = Pick<TestApp, 'call'>;

/** An agent that is registered with the unified API. */
export interface Registered extends RegistryRegistration {
  /** The authorization header with the agent's token. */
  as: { authorization: string };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Registers an agent with the unified API. */
export async function registered(app: Caller, agent_id: string, body: object = {}): Promise<Registered> {
  const registration: RegistryRegistration = (await app.call('POST', '/v1/agents/register', { agent_id, ...body }))
    .body;
  return { ...registration, as: bearer(registration.token) };
}

/** Returns the agent's record in the unified API. */
export const fetchRecord = async (app: Caller, agentId: string): Promise<RegistryRecord> =>
  (await app.call('GET', `/v1/agents/${agentId}`)).body;

/** Collects every following event about agents as type, surface and id. */
export function recordEvents({ bus }: { bus: Bus }): string[] {
  const events: string[] = [];
  bus.watch((event: MeshEvent) => {
    if (event.type.startsWith('agent.') && 'surface' in event)
      events.push(`${event.type} ${event.surface} ${event.agent_id}`);
  });
  return events;
}

export const CARD = {
  endpoint: 'https://painter.example/',
  description: 'Paints pictures.',
  tags: ['image', 'paint'],
  category: 'media.image',
  accepts: ['text/plain'],
  produces: ['image/png'],
  protocols: ['http'],
  pricing: { unit: 'request', amount: 5, currency: 'lamports' },
  availability: { now: true },
};

/** A line of a catalog. */
export const ENTRY = {
  agent_id: 'painter',
  name: 'Painter',
  description: 'A painter out of a list.',
  url: 'https://list.example/painter',
  tags: ['art'],
  country: 'IT',
  source: 'list.example',
};
