import type { Surface } from '../../../daemon/contract/network/agents.js';
import type {
  SelfRegistrationRecord,
  SurfaceRegistration,
} from '../../../daemon/contract/network/self-registration.js';
import { formatDuration, formatRelativeTime } from '../../lib/format/time-format.js';

export const surfaceNames: Record<Surface, string> = { hub: 'Hub', v1: 'Unified API' };
export const SURFACES_SHOWN: readonly Surface[] = ['hub', 'v1'];

/** Formats the last heartbeat and the age of the token. */
export function formatLiveness(
  { registered, last_heartbeat, token_age_seconds }: SurfaceRegistration,
  now: number,
): string {
  if (!registered) return 'not registered';
  const heard =
    last_heartbeat === null
      ? 'no heartbeat yet'
      : `heartbeat ${formatRelativeTime(last_heartbeat * 1_000, Math.max(now, last_heartbeat * 1_000))}`;
  const token =
    token_age_seconds === null ? 'no token since the start' : `token ${formatDuration(token_age_seconds * 1_000)} old`;
  return `${heard}, ${token}`;
}

/** Describes the problem of a member's registration; undefined when it is registered and online on both surfaces. */
export function findRegistrationProblem({ surfaces }: SelfRegistrationRecord): string | undefined {
  const problems = SURFACES_SHOWN.flatMap((surface) => {
    const { problem } = surfaces[surface];
    return problem === null ? [] : [`${surfaceNames[surface]}: ${problem}`];
  });
  if (problems.length > 0) return problems.join(' ');
  const missing = SURFACES_SHOWN.filter((surface) => !surfaces[surface].registered).map(
    (surface) => surfaceNames[surface],
  );
  if (missing.length === SURFACES_SHOWN.length)
    return 'Not registered yet. The next heartbeat tries again within two minutes.';
  if (missing.length > 0)
    return `Not on the ${missing.join(' and the ')}. The next heartbeat tries again within two minutes.`;
  return undefined;
}

/** Returns the ids under which a member is registered, usually one for both surfaces. */
export function listAgentIds({ surfaces }: SelfRegistrationRecord): { agentId: string; where: Surface[] }[] {
  const ids = new Map<string, Surface[]>();
  for (const surface of SURFACES_SHOWN) {
    const { agent_id, registered } = surfaces[surface];
    if (agent_id !== null && registered) ids.set(agent_id, [...(ids.get(agent_id) ?? []), surface]);
  }
  return [...ids].map(([agentId, where]) => ({ agentId, where }));
}

/** Returns the member registered under an id; undefined for an agent that is not a member. */
export function findMember(registrations: readonly SelfRegistrationRecord[], agentId: string): string | undefined {
  const wanted = agentId.toLowerCase();
  return registrations.find((registration) =>
    listAgentIds(registration).some((one) => one.agentId.toLowerCase() === wanted),
  )?.member;
}
