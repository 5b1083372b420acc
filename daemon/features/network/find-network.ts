import { randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import {
  checkNetworkName,
  createStream,
  findStream,
  getIdentity,
  jetStreamCode,
  listNetworks,
  NO_JETSTREAM,
  retryUntilLeader,
  STREAM_EXISTS,
  toStreamName,
} from './command-stream.js';

/** A network on the servers. */
export interface FoundNetwork {
  network: string;
  /** What distinguishes it from others of its name. */
  identity: string;
}

const taken = (network: string) =>
  new MeshError('slug_taken', `The servers have a network "${network}": join it, or give another name.`);

/** JetStream's codes for an account, or servers, for which it is not enabled. */
const NOT_ENABLED: ReadonlySet<number> = new Set([10_039, 10_076]);
const isWithoutJetStream = (error: unknown): boolean =>
  (error as Error).name === NO_JETSTREAM || NOT_ENABLED.has(jetStreamCode(error) ?? 0);

function requireOne(networks: readonly string[]): string {
  const [only, ...others] = networks;
  if (only === undefined)
    throw new MeshError('not_found', 'The servers have no network: create one with meshd network create.');
  if (others.length > 0)
    throw new MeshError('bad_request', `The servers have several networks: give --network ${networks.join(' or ')}.`, {
      details: { path: 'network' },
    });
  return only;
}

/**
 * Finds the network `name`, or the only one of the servers; creates it when it `mustBeNew`. Throws `not_found`,
 * `slug_taken`, `bad_request` for a name that is needed, and `network_unavailable` when the servers have no JetStream.
 */
export async function findNetwork(
  connection: NatsConnection,
  clock: Clock,
  name: string | undefined,
  mustBeNew: boolean,
): Promise<FoundNetwork> {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const manager = await jetstreamManager(connection, { checkAPI: false });
  try {
    const network = checkNetworkName(name ?? requireOne(await retryUntilLeader(clock, () => listNetworks(manager))));
    const found = await retryUntilLeader(clock, () => findStream(manager, network));
    if (found && mustBeNew) throw taken(network);
    if (!found && !mustBeNew)
      throw new MeshError('not_found', `The servers have no network "${network}": create it, or check the name.`);
    const id = randomUUID();
    const create = () => createStream(manager, network, id, clock);
    const stream =
      found ??
      (await retryUntilLeader(clock, create).catch((error: unknown) => {
        // Another daemon created one of that name in the meantime.
        throw jetStreamCode(error) === STREAM_EXISTS ? taken(network) : error;
      }));
    return { network, identity: getIdentity(stream) };
  } catch (error) {
    if (isMeshError(error)) throw error;
    const hint = isWithoutJetStream(error) ? ' They need JetStream (nats-server --jetstream).' : '';
    throw new MeshError(
      'network_unavailable',
      `The servers did not open the network: ${getErrorMessage(error)}.${hint}`,
      { cause: error },
    );
  }
}

/** Deletes a network whose creation could not be finished. Another one of its name stays. */
export async function deleteNetwork(connection: NatsConnection, { network, identity }: FoundNetwork): Promise<void> {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const stream = await findStream(manager, network);
  if (stream && getIdentity(stream) === identity) await manager.streams.delete(toStreamName(network));
}
