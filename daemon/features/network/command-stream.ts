import type { JetStreamManager, MsgRequest, StoredMsg, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { COMMAND_BYTES_MAX, COMMAND_CLOCK_MS } from '../../contract/shared/commands.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, sleep } from '../../lib/time/clock.js';

const REPLICAS = 3;
const NANOS_PER_MS = 1_000_000;
const STREAM_PREFIX = 'MESHD_';
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** JetStream's code for a server that is in no cluster. */
const NO_CLUSTER = 10_074;
/** JetStream's code for a cluster that has too few servers for the wanted replicas. */
const NO_PEERS = 10_005;
/** JetStream's code for an account whose limits are for one replica alone. */
const NO_LIMITS = 10_120;
/** JetStream's codes for servers on which three replicas cannot be. A cluster that has just started says the first. */
const TOO_FEW_SERVERS: ReadonlySet<number> = new Set([NO_PEERS, NO_CLUSTER, NO_LIMITS]);
/** JetStream's code for servers without room, which a cluster that has just started may say, too. */
const NO_ROOM = 10_023;
/** JetStream's code for an account that takes streams of a given size alone. */
const SIZE_NEEDED = 10_113;
/** JetStream's code for more consumers than the account may have. */
const TOO_MANY_CONSUMERS = 10_026;
/** One for each daemon. Servers since 2.15 give a stream that names no number a thousand. */
const CONSUMERS_MAX = 100_000;
const COMMANDS_BYTES = 1024 ** 3;
const SNAPSHOTS_BYTES = COMMANDS_BYTES / 4;
/** How long servers of a cluster that have just started may take to meet. */
const MEETING_MS = 5_000;
const STREAM_NOT_FOUND = 10_059;

/** The code of a refusal by JetStream, or undefined. */
export const jetStreamCode = (error: unknown): number | undefined => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : undefined;
};

/** The client's error while nobody answers for JetStream. */
export const NO_JETSTREAM = 'JetStreamNotEnabled';
/** JetStream's code while its cluster has no leader. */
export const NO_LEADER = 10_008;
const LEADER_MS = 20_000;
const RETRY_MS = 250;

/** Repeats `work` while the servers have no leader yet, as right after their start, for at most 20 seconds. */
export async function retryUntilLeader<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const endMs = clock.elapsed() + LEADER_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isWithoutLeader = jetStreamCode(error) === NO_LEADER || (error as Error).name === 'TimeoutError';
      if (!isWithoutLeader || clock.elapsed() > endMs) throw error;
      await sleep(clock, RETRY_MS);
    }
  }
}

/** Throws `bad_request` for a name that cannot be part of a subject. */
export function checkNetworkName(name: string): string {
  if (!NAME.test(name))
    throw new MeshError(
      'bad_request',
      `"${name}" is no name of a network: use 1 to 32 lower-case letters, digits and hyphens.`,
      { details: { path: 'network' } },
    );
  return name;
}

export const toStreamName = (network: string) => STREAM_PREFIX + network;

const DESCRIPTION = /^meshd network ([\w-]{1,64})$/;

/**
 * Returns what distinguishes a network from an earlier or later one of its name: the id in the description of its
 * stream; in networks without one, when the stream was created. Servers change that time when an operator edits the
 * stream (nats-server, issue 8470).
 */
export const getIdentity = ({ config, created }: Pick<StreamInfo, 'config' | 'created'>): string =>
  DESCRIPTION.exec(config.description ?? '')?.[1] ?? created;

type Limits = Pick<Partial<StreamConfig>, 'max_bytes' | 'max_consumers' | 'discard'>;

const streamConfig = (
  network: string,
  id: string,
  replicas: number,
  limits: Limits,
): Partial<StreamConfig> & { name: string } => ({
  ...limits,
  name: toStreamName(network),
  description: `meshd network ${id}`,
  subjects: [`m.${network}.cmd.>`],
  storage: 'file',
  num_replicas: replicas,
  retention: 'limits',
  duplicate_window: COMMAND_CLOCK_MS * NANOS_PER_MS,
  max_msg_size: 2 * COMMAND_BYTES_MAX + 1024,
});

/** Returns the stream of a network, or undefined when there is no such network. */
export async function findStream(manager: JetStreamManager, network: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(toStreamName(network));
  } catch (error) {
    if (jetStreamCode(error) === STREAM_NOT_FOUND) return undefined;
    throw error;
  }
}

/** Messages that are overwritten at the same time. */
const ERASED_AT_ONCE = 64;
/** JetStream's code for a message that is not there. */
const NO_MESSAGE = 10_037;

/** One message: by its number, the first of a subject from a number on, or the last of a subject. */
type StreamQuery = MsgRequest | { seq: number; next_by_subj: string };

/** Returns a message of the stream; undefined when the stream holds no such message (any more). */
export async function findMessage(
  manager: JetStreamManager,
  stream: string,
  query: StreamQuery,
): Promise<StoredMsg | undefined> {
  try {
    return (await manager.streams.getMessage(stream, query)) ?? undefined;
  } catch (error) {
    if (jetStreamCode(error) === NO_MESSAGE) return undefined;
    throw error;
  }
}

/** Like `findMessage`, but returns the number of the message. */
export const findSequence = async (manager: JetStreamManager, stream: string, query: StreamQuery) =>
  (await findMessage(manager, stream, query))?.seq;

/**
 * Overwrites the messages of a stream up to number `last` on the disks of the servers, the oldest first. Purging or
 * deleting without that leaves their bytes in the files. The stream keeps its newest message, with which servers that
 * restart know where they were. May be called again after any failure, and by several daemons. Where the stream forbids
 * it, as those of older networks do, the messages are only removed.
 */
export async function eraseMessages(manager: JetStreamManager, stream: string, last: number): Promise<void> {
  const { state, config } = await manager.streams.info(stream);
  const end = Math.min(last, state.last_seq - 1);
  if (config.deny_delete) {
    // The servers take a bound of 1, below which there is nothing, for none: all would go.
    if (end > 0) await manager.streams.purge(stream, { seq: end + 1 });
    return;
  }
  const erase = async (sequence: number) => {
    try {
      await manager.streams.deleteMessage(stream, sequence, true);
    } catch (error) {
      // Another daemon may have erased it first.
      if ((await findSequence(manager, stream, { seq: sequence })) !== undefined) throw error;
    }
  };
  for (let first = state.first_seq; first <= end; first += ERASED_AT_ONCE) {
    const count = Math.min(ERASED_AT_ONCE, end - first + 1);
    await Promise.all(Array.from({ length: count }, (_, index) => erase(first + index)));
  }
}

/** Names of the networks on these servers. */
export async function listNetworks(manager: JetStreamManager): Promise<string[]> {
  const names: string[] = [];
  for await (const name of manager.streams.names()) {
    const network = name.slice(STREAM_PREFIX.length);
    if (name.startsWith(STREAM_PREFIX) && NAME.test(network)) names.push(network);
  }
  return names.sort();
}

/** JetStream's code for a stream of that name with another configuration. */
export const STREAM_EXISTS = 10_058;

/** Limits that an account asks for after it has refused those, if there are others that it may take. */
function nextLimits(limits: Limits, code: number): Limits | undefined {
  // A full stream refuses commands: those that it would drop may be in no snapshot.
  if (code === SIZE_NEEDED && limits.max_bytes === undefined)
    return { ...limits, max_bytes: COMMANDS_BYTES, discard: 'new' };
  if (code !== TOO_MANY_CONSUMERS || limits.max_consumers === undefined) return undefined;
  const { max_consumers: _, ...others } = limits;
  return others;
}

/** Opens something for snapshots, with a size where the account asks for one. */
export async function withSizeIfNeeded<T>(open: (limits: { max_bytes?: number }) => Promise<T>): Promise<T> {
  try {
    return await open({});
  } catch (error) {
    if (jetStreamCode(error) !== SIZE_NEEDED) throw error;
    return open({ max_bytes: SNAPSHOTS_BYTES });
  }
}

/**
 * Creates the stream with three replicas, or with one where the servers are fewer than three, or the account takes no
 * more. Waits five seconds before it believes that of a cluster: the number of replicas stays. May be repeated with the
 * same `id`; with another one, the servers refuse it with `STREAM_EXISTS`.
 */
export async function createStream(
  manager: JetStreamManager,
  network: string,
  id: string,
  clock: Clock,
): Promise<StreamInfo> {
  const endMs = clock.elapsed() + MEETING_MS;
  let limits: Limits = { max_consumers: CONSUMERS_MAX };
  let replicas = REPLICAS;
  for (;;) {
    try {
      return await manager.streams.add(streamConfig(network, id, replicas, limits));
    } catch (error) {
      const code = jetStreamCode(error) ?? 0;
      const next = nextLimits(limits, code);
      const isOver = clock.elapsed() >= endMs;
      if (next) limits = next;
      else if (replicas > 1 && TOO_FEW_SERVERS.has(code)) {
        if (code !== NO_PEERS || isOver) replicas = 1;
        else await sleep(clock, RETRY_MS);
      } else if (code === NO_ROOM && !isOver) await sleep(clock, RETRY_MS);
      else throw error;
    }
  }
}
