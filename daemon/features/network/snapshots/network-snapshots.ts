import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { getErrorMessage } from '../../../lib/errors.js';
import type { CommandKinds } from '../../../shared-log/command-kinds.js';
import type { Database } from '../../../storage/database/database.js';
import type { Transactions } from '../../../storage/database/transaction.js';
import { toBase64Url } from '../command-envelope.js';
import { readState, setSnapshotSequence } from '../network-store.js';
import { loadSharedState, writeSharedState } from './shared-state.js';
import type { SnapshotBucket, StoredSnapshot } from './snapshot-bucket.js';

interface SnapshotsParts {
  database: Pick<Database, 'sql'>;
  transactions: Transactions;
  kinds: CommandKinds;
  network: string;
  key: SigningKey;
  openBucket: () => Promise<SnapshotBucket>;
  /** Removes the commands up to `sequence` from the stream. */
  purge: (sequence: number) => Promise<void>;
  warn: (message: string) => void;
}

/**
 * Snapshots of the shared tables on the servers of a network. A daemon that joins, or was away for long, loads the
 * newest one and then the commands after it. What is older than the last but one is removed, with what was deleted
 * since.
 */
export class NetworkSnapshots {
  private bucket: Promise<SnapshotBucket> | undefined;

  constructor(private readonly parts: SnapshotsParts) {}

  /** The newest first. */
  async list(): Promise<StoredSnapshot[]> {
    return (await this.open()).list();
  }

  /** Stores a snapshot of this store. No command may be applied until it resolves. */
  async make(): Promise<void> {
    const { database, key, network, purge, warn } = this.parts;
    const state = readState(database);
    if (!state || state.loading !== null) return;
    const { sequence, created } = state;
    const bucket = await this.open();
    const bytes = writeSharedState(database, key, { network, created, sequence, key: toBase64Url(key.pubkey) });
    await bucket.put(sequence, Readable.toWeb(bytes) as ReadableStream<Uint8Array>);
    setSnapshotSequence(database, sequence);
    // A daemon may be loading the last but one while the newest is stored.
    const [, before, ...old] = await bucket.list();
    try {
      for (const one of old) await bucket.delete(one);
      if (before) await purge(before.sequence);
    } catch (error) {
      warn(`the servers keep commands of the network that a snapshot replaces: ${getErrorMessage(error)}`);
    }
  }

  /**
   * Replaces the shared rows by the newest snapshot after which the stream still holds every command. Rejects when
   * there is none; the rows are then incomplete, and it must be called again.
   */
  async load({ created, firstSequence }: { created: string; firstSequence: number }): Promise<void> {
    const { warn, kinds } = this.parts;
    const bucket = await this.open();
    for (const snapshot of await bucket.list()) {
      if (snapshot.sequence + 1 < firstSequence) break;
      try {
        const bytes = await bucket.get(snapshot);
        if (!bytes) continue;
        await this.loadOne(snapshot, Readable.fromWeb(bytes as NodeReadableStream), created);
        await kinds.replaced();
        return;
      } catch (error) {
        warn(`the snapshot ${snapshot.sequence} of the network cannot be used: ${getErrorMessage(error)}`);
      }
    }
    throw new Error('the network has no snapshot that can be used yet');
  }

  private async loadOne({ name, sequence }: StoredSnapshot, bytes: Readable, created: string): Promise<void> {
    const { network } = this.parts;
    await loadSharedState(
      this.parts,
      { bytes, network, mark: name },
      (head) => head.network === network && head.created === created && head.sequence === sequence,
    );
  }

  private open(): Promise<SnapshotBucket> {
    this.bucket ??= this.parts.openBucket().catch((error: unknown) => {
      this.bucket = undefined;
      throw error;
    });
    return this.bucket;
  }
}
