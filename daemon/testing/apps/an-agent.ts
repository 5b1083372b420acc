import type { Tier1Card } from '../../contract/network/agents.js';
import type { Registration } from '../../contract/network/hub.js';
import type { Caller, Reply } from '../caller.js';

/** An agent that is registered on the hub. It calls with its own token. */
export interface Agent {
  id: string;
  apiKey: string;
  token: string;
  call(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** Registers `id` on the hub of `app`. */
export async function anAgent(app: { call: Caller }, id: string, more: object = {}): Promise<Agent> {
  const reply = await app.call('POST', '/agents/register', { agent_id: id, capabilities: [], ...more });
  if (reply.status !== 200) throw new Error(`${id} was not registered: ${reply.text}`);
  const { api_key, token } = reply.body as Registration;
  return {
    id,
    apiKey: api_key,
    token,
    call: (method, path, body) => app.call(method, path, body, { authorization: `Bearer ${token}` }),
  };
}

/** A discovery card with every possible key. */
export const LAMP_CARD = {
  endpoint: 'https://lamp.example/agent',
  description: 'Switches the harbour lights.',
  tags: ['light', 'harbour'],
  category: 'home.light',
  accepts: ['application/json'],
  produces: ['text/plain'],
  protocols: ['http', 'a2a'],
  pricing: { unit: 'request', amount: 250, currency: 'lamports' },
  availability: { now: true },
};

/** The card of an agent with a price per unit of its own, which takes and gives documents. */
export const PRINTER_CARD: Tier1Card = {
  endpoint: 'https://printer.example/agents/one',
  description: 'Prints posters on demand.',
  tags: ['print', 'posters'],
  category: 'media.print',
  accepts: ['application/json'],
  produces: ['application/pdf'],
  protocols: ['http', 'a2a'],
  pricing: { unit: 'poster', amount: 25, currency: 'USD' },
};
