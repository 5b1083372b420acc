import { queryOptions } from '@tanstack/react-query';
import type { AgentRecord } from '../../../daemon/contract/network/hub.js';
import type { RegistryList, RegistryRecord } from '../../../daemon/contract/network/registry.js';
import type { SelfRegistrationList } from '../../../daemon/contract/network/self-registration.js';
import type { Tier2Result } from '../../../daemon/contract/network/site.js';
import { ApiError, call, query } from '../../lib/api.js';
import { agentsKeys } from './agents-keys.js';

/** The most rows that a list of agents returns. */
const LIST_LIMIT = 200;

/**
 * Returns the agent's record of a directory, or null: that an agent is unknown on one surface is a valid result. It is
 * looked up in the list, because browsers report a 404 as an error on the console. `read` is called only where the list
 * does not settle it: more agents contain the id than it returns, or the id has nothing that a list is searched for.
 */
async function recordOrNull<T extends { agent_id: string }>(
  agentId: string,
  list: () => Promise<readonly T[]>,
  read: () => Promise<T>,
): Promise<T | null> {
  const named = await list();
  const wanted = agentId.toLowerCase();
  const found = named.find(({ agent_id }) => agent_id.toLowerCase() === wanted);
  if (found || (named.length < LIST_LIMIT && /[a-z\d]/.test(wanted))) return found ?? null;
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export const hubRecordQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...agentsKeys.one(agentId), 'hub'],
    queryFn: ({ signal }) =>
      recordOrNull(
        agentId,
        () => call<AgentRecord[]>(`/agents${query({ q: agentId, all: 'true', limit: LIST_LIMIT })}`, { signal }),
        () => call<AgentRecord>(`/agents/${encodeURIComponent(agentId)}`, { signal }),
      ),
  });

export const registryRecordQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...agentsKeys.one(agentId), 'v1'],
    queryFn: ({ signal }) =>
      recordOrNull(
        agentId,
        async () =>
          (await call<RegistryList>(`/v1/agents${query({ q: agentId, limit: LIST_LIMIT })}`, { signal })).agents,
        () => call<RegistryRecord>(`/v1/agents/${encodeURIComponent(agentId)}`, { signal }),
      ),
  });

/** The card that the agent serves itself. The daemon fetches it only on request. */
export const publicCardQuery = (agentId: string) =>
  queryOptions({
    queryKey: agentsKeys.publicCard(agentId),
    queryFn: ({ signal }) => call<Tier2Result>(`/agent/${encodeURIComponent(agentId)}/tier2`, { signal }),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

const NAMED = 8;

/** A few of the hub's agents whose names contain the text. */
export const agentsNamedQuery = (words: string) =>
  queryOptions({
    queryKey: agentsKeys.named(words),
    queryFn: ({ signal }) =>
      call<AgentRecord[]>(`/agents${query({ q: words, all: 'true', limit: NAMED })}`, { signal }),
  });

const LOOK_EVERY_MS = 30_000;

/** The registrations of this project's members as agents. Heartbeats publish no event, so their ages are polled. */
export const registrationsQuery = () =>
  queryOptions({
    queryKey: agentsKeys.registrations,
    queryFn: ({ signal }) => call<SelfRegistrationList>('/registrations', { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
