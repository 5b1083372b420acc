import { NETWORK_NAME_CHARS_MAX } from '../../contract/shared/network.js';
import { isSignedBy, type SigningKey } from '../../lib/crypto/ed25519.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Transaction } from '../../storage/database/transaction.js';
import { RefusedCommandError, toBase64, toBase64Url } from './command-envelope.js';
import {
  findDaemonByKey,
  isOldKey,
  type NetworkDaemon,
  rotateKey,
  setDaemonLeft,
  setDaemonName,
} from './network-store.js';

/** Commands of a daemon about itself. Their entity is the daemon's id. */
export const MEMBERSHIP_KINDS: ReadonlySet<string> = new Set(['daemon.join', 'daemon.leave', 'daemon.rotate']);

interface MembershipCommand {
  network: string;
  daemon: NetworkDaemon;
  command: Command;
  timeMs: number;
}

const rotationText = (network: string, id: string, key: string) => `meshd key\n${network}\n${id}\n${key}`;

/** Returns the body of `daemon.rotate`: the new key, and its signature, which proves that the sender holds it. */
export function rotationBody(network: string, id: string, next: SigningKey): Record<string, unknown> {
  const key = toBase64Url(next.pubkey);
  return { key, sig: next.sign(rotationText(network, id, key)) };
}

function rotate(transaction: Transaction, { network, daemon, command }: MembershipCommand): void {
  const { key, sig } = command.body;
  if (typeof key !== 'string' || typeof sig !== 'string' || toBase64Url(toBase64(key)) !== key)
    throw new RefusedCommandError('key', 'A rotation needs the new key and its signature.');
  if (!isSignedBy(toBase64(key), rotationText(network, daemon.id, key), sig))
    throw new RefusedCommandError('signature', 'The rotation is not signed by the new key.');
  if (findDaemonByKey(transaction, key) || isOldKey(transaction, key))
    throw new RefusedCommandError('key', 'The new key is or was the key of a daemon.');
  rotateKey(transaction, daemon, key);
}

/** Applies a command of a daemon about itself. Returns its id. */
export function decideMembership(transaction: Transaction, membership: MembershipCommand): { daemon: string } {
  const { daemon, command, timeMs } = membership;
  if (command.entity !== daemon.id)
    throw new RefusedCommandError('owner', 'A daemon joins, leaves and changes its key for itself only.');
  if (command.kind === 'daemon.rotate') rotate(transaction, membership);
  else if (command.kind === 'daemon.leave') setDaemonLeft(transaction, daemon.id, timeMs);
  else {
    const { name } = command.body;
    if (typeof name !== 'string' || name.trim() === '' || name.length > NETWORK_NAME_CHARS_MAX)
      throw new RefusedCommandError('form', `A daemon's name is a text of 1 to ${NETWORK_NAME_CHARS_MAX} characters.`);
    setDaemonName(transaction, daemon.id, name);
  }
  return { daemon: daemon.id };
}
