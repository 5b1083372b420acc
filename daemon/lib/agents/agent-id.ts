import { AGENT_ID_PATTERN, RESERVED_ID_PREFIXES, ROUTE_WORDS } from '../../contract/network/agents.js';
import { MeshError } from '../errors.js';

const PATTERN = new RegExp(AGENT_ID_PATTERN);

/** The form under which ids are unique: ids that differ only in case name the same agent. */
export const agentKey = (agentId: string) => agentId.toLowerCase();

/**
 * Throws unless `agentId` may be registered. Throws `bad_request` for a malformed id or a word that is a route of the
 * surfaces, and `reserved_agent_id` for a reserved prefix when the caller is not a partner. Spec: Registration result;
 * Errors.
 */
export function checkAgentId(agentId: string, { isPartner }: { isPartner: boolean }): void {
  const refuse = (message: string) => new MeshError('bad_request', message, { details: { path: 'agent_id' } });
  if (!PATTERN.test(agentId))
    throw refuse('"agent_id" must be 3 to 64 letters, digits, `-` or `_`, beginning with a letter or a digit.');
  const key = agentKey(agentId);
  if (ROUTE_WORDS.includes(key as (typeof ROUTE_WORDS)[number]))
    throw refuse(`"${key}" is a word of the service itself: choose another id.`);
  const prefix = RESERVED_ID_PREFIXES.find((reserved) => key.startsWith(reserved));
  if (prefix !== undefined && !isPartner) {
    throw new MeshError(
      'reserved_agent_id',
      `Ids that begin with "${prefix}" are kept for partners: choose another id.`,
      {
        details: { path: 'agent_id', prefix },
      },
    );
  }
}
