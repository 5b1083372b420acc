import { queryOptions } from '@tanstack/react-query';
import type { AgentRecord } from '../../../daemon/contract/network/hub.js';
import type { RegistryRecord } from '../../../daemon/contract/network/registry.js';
import type { SelfRegistrationList } from '../../../daemon/contract/network/self-registration.js';
import type { Tier2Result } from '../../../daemon/contract/network/site.js';
import { ApiError, call, query } from '../../lib/api.js';
import { agentsKeys } from './agents-keys.js';

/** Returns null for a 404: that an agent is unknown on one surface is a valid result. */
async function recordOrNull<T>(path: string, signal: AbortSignal): Promise<T | null> {
  try {
    return await call<T>(path, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export const hubRecordQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...agentsKeys.one(agentId), 'hub'],
    queryFn: ({ signal }) => recordOrNull<AgentRecord>(`/agents/${encodeURIComponent(agentId)}`, signal),
  });

export const registryRecordQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...agentsKeys.one(agentId), 'v1'],
    queryFn: ({ signal }) => recordOrNull<RegistryRecord>(`/v1/agents/${encodeURIComponent(agentId)}`, signal),
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
