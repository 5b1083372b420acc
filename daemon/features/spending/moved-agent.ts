import { LOCAL_NETWORK } from '../../contract/payments.js';

/** A member of another project of this user at the address that it has now: a project may change its port. */
export interface NeighbourPlace {
  agent: string | null;
  endpoint: string;
  /** The name here of its local network; null when that is not known. */
  network: string | null;
}

const HOST = '127.0.0.1';

/**
 * Whether what is stored of a payment is one to the member at `place`, under a port that its project had before. On a
 * local network the genesis tells whose it is, on a public one the name of project and member.
 */
export function hasMoved(
  place: NeighbourPlace,
  { agent, endpoint, network }: { agent: string; endpoint: string; network: string },
): boolean {
  if (endpoint === place.endpoint || !URL.canParse(endpoint)) return false;
  const [before, now] = [new URL(endpoint), new URL(place.endpoint)];
  if (before.hostname !== HOST || now.hostname !== HOST || before.pathname !== now.pathname) return false;
  return network.startsWith(LOCAL_NETWORK) ? network === place.network : agent === place.agent;
}
