import type { JetStreamManager, StoredMsg, StreamInfo } from '@nats-io/jetstream';
import type { Database } from '../../storage/database/database.js';
import { readCommand } from './command-envelope.js';
import { findMessage, toStreamName } from './command-stream.js';
import { hasCommandId } from './network-store.js';

/** The servers do not hold what is applied here. */
export class LostChangesError extends Error {}

/** Returns the id of the command in a message; undefined for a message that every daemon refuses. */
function findCommandId(network: string, { seq, subject, data, time }: StoredMsg): string | undefined {
  try {
    return readCommand(network, { sequence: seq, subject, data, timeMs: time.getTime() }).id;
  } catch {
    return undefined;
  }
}

/**
 * Checks that the stream still has the message `sequence`, the last one that is applied here. Servers confirm a message
 * before it is on their disks: after a power failure, or with a disk of an earlier time, they give its number to another
 * one. Throws `LostChangesError`.
 */
export async function checkPosition(
  manager: JetStreamManager,
  database: Pick<Database, 'sql'>,
  network: string,
  sequence: number,
  { state }: Pick<StreamInfo, 'state'>,
): Promise<void> {
  if (state.last_seq < sequence)
    throw new LostChangesError(`their newest change is number ${state.last_seq}, this daemon’s ${sequence}`);
  if (sequence === 0) return;
  const message = await findMessage(manager, toStreamName(network), { seq: sequence });
  const id = message && findCommandId(network, message);
  if (id !== undefined && !hasCommandId(database, id))
    throw new LostChangesError(`their change number ${sequence} is not the one that is applied here`);
}
