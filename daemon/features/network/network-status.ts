import type { NetworkStatus } from '../../contract/shared/network.js';
import type { NetworkSession } from './network-session.js';

export type SessionStatus = Pick<NetworkStatus, 'server' | 'lag' | 'replicas' | 'fsync' | 'promise'>;

/** The first version of nats-server that can write each change to disk before it acknowledges it. */
const SYNC_ALWAYS_FROM = [2, 12] as const;

/** Whether the server acknowledges before it writes to disk, as far as its version tells. */
export function getFsync(version: string): NonNullable<NetworkStatus['fsync']> {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOlder = major < SYNC_ALWAYS_FROM[0] || (major === SYNC_ALWAYS_FROM[0] && minor < SYNC_ALWAYS_FROM[1]);
  return isOlder ? 'periodic' : 'unknown';
}

/** Says what an acknowledged change survives. */
export function describePromise(replicas: number, fsync: NonNullable<NetworkStatus['fsync']>): string {
  const power =
    fsync === 'periodic'
      ? 'not a power failure of all of them at once: this version does not write to disk before it acknowledges'
      : 'and a power failure of all of them only where they are set to sync_interval: always';
  if (replicas < 3)
    return `An acknowledged change survives the death of the server process, but not the loss of its machine; ${power}.`;
  return `An acknowledged change survives the death of any process and of any one machine, ${power}.`;
}

/** Describes the servers of a session and how far behind this daemon is. */
export async function describeSession(session: NetworkSession, sequence: number): Promise<SessionStatus> {
  const { server } = session;
  const stream = await session.stream();
  const fsync = server ? getFsync(server.version) : null;
  const replicas = stream?.config.num_replicas ?? null;
  return {
    server: server ?? null,
    lag: stream ? Math.max(0, stream.state.last_seq - sequence) : null,
    replicas,
    fsync,
    promise: replicas !== null && fsync !== null ? describePromise(replicas, fsync) : null,
  };
}
