import { AgentCard } from '@a2a-js/sdk';
import {
  ASK_CAP,
  ASK_DOC_MAX_BYTES,
  ASK_DOCS_MAX,
  ASK_TEXT_MAX_CHARS,
  REQUEST_RETENTION_DAYS,
} from '../../contract/limits.js';
import type { HostedAgent } from '../agent-host/hosted-agent.js';

/** URI of the extension that the extended card has in addition to the public card. */
const RUNNING_EXTENSION = 'urn:meshd:running';

/** The public card in the SDK's format. */
export const publicAgentCard = (agent: HostedAgent): AgentCard => AgentCard.fromJSON(agent.strictCard().value as never);

/**
 * The card for holders of the member's token: with the client and model that it currently runs on, and the limits
 * for callers.
 */
export function extendedCard(agent: HostedAgent, running: { client: string; model: string }): AgentCard {
  const card = publicAgentCard(agent);
  const params = {
    ...running,
    limits: {
      tasks_at_once: ASK_CAP,
      text_chars: ASK_TEXT_MAX_CHARS,
      documents: ASK_DOCS_MAX,
      document_bytes: ASK_DOC_MAX_BYTES,
      kept_days: REQUEST_RETENTION_DAYS,
    },
  };
  const extension = {
    uri: RUNNING_EXTENSION,
    description: 'What runs this agent now, and its limits.',
    required: false,
    params,
  };
  const capabilities = card.capabilities ?? { extensions: [] };
  return { ...card, capabilities: { ...capabilities, extensions: [...capabilities.extensions, extension] } };
}
