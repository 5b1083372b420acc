import { Readable } from 'node:stream';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { getErrorMessage } from '../../../lib/errors.js';
import type { CommandKinds } from '../../../shared-log/command-kinds.js';
import type { Database } from '../../../storage/database/database.js';
import type { Transactions } from '../../../storage/database/transaction.js';
import type { StreamedCopies } from '../../../storage/files/streamed-copies.js';
import { toBase64Url } from '../command-envelope.js';
import { readState, setSnapshotSequence } from '../network-store.js';
import { checkSharedState, loadSharedState, type SnapshotSource, writeSharedState } from './shared-state.js';
import type { SnapshotBucket, StoredSnapshot } from './snapshot-bucket.js';

interface SnapshotsParts {
  database: Pick<Database, 'sql'>;
  transactions: Transactions;
  kinds: CommandKinds;
  network: string;
  key: SigningKey;
  openBucket: () => Promise<SnapshotBucket>;
  /** Erases the commands up to `sequence`. */
  eraseCommands: (sequence: number) => Promise<void>;
  /**
   * Where a snapshot lies while it is loaded or stored: it is read whole before anything here is replaced, and commands
   * do not wait for the servers to take it.
   */
  files: Pick<StreamedCopies, 'write' | 'read' | 'remove'>;
  warn: (message: string) => void;
}

const DOWNLOAD = 'loading';
const DRAFT = 'making';

/** What a stream holds that a snapshot is loaded for. */
export interface SnapshotsOfStream {
  identity: string;
  firstSequence: number;
  lastSequence: number;
}

/**
 * Snapshots of the shared tables on the servers of a network. A daemon that joins, or was away for long, loads the
 * newest one and then the commands after it. Everything older is erased, with all that was deleted before it was made,
 * once nobody can be loading or storing it any more.
 */
export class NetworkSnapshots {
  private bucket: Promise<SnapshotBucket> | undefined;
  /** Snapshots that can be loaded, by their parts and when they were named. */
  private readonly usable = new Set<string>();

  constructor(private readonly parts: SnapshotsParts) {}

  /** The newest first. */
  async list(): Promise<StoredSnapshot[]> {
    return (await this.open()).list();
  }

  /** Stores a snapshot of this store. While it is written here, `whilePaused` must let no command be applied. */
  async make(whilePaused: (work: () => Promise<void>) => Promise<void> = (work) => work()): Promise<void> {
    const { database, key, network, files } = this.parts;
    let sequence: number | undefined;
    try {
      await whilePaused(async () => {
        const state = readState(database);
        if (!state || state.loading !== null) return;
        const head = { network, created: state.identity, sequence: state.sequence, key: toBase64Url(key.pubkey) };
        await files.write(DRAFT, writeSharedState(database, key, head));
        sequence = state.sequence;
      });
      if (sequence === undefined) return;
      const bucket = await this.open();
      await bucket.put(sequence, Readable.toWeb(files.read(DRAFT)) as ReadableStream<Uint8Array>);
    } finally {
      await files.remove(DRAFT);
    }
    setSnapshotSequence(database, sequence);
  }

  /**
   * Erases what the newest snapshot that is at least `ageMs` old has replaced, commands too: about a second for each
   * thousand. That has to be so long that nobody is storing one since before, or loading an older one. `nowMs` is the
   * time of the newest of all by default, by the clock of the servers. What fails is done the next time.
   */
  async eraseReplaced(ageMs: number, nowMs?: number): Promise<void> {
    const { database, eraseCommands, warn } = this.parts;
    const applied = readState(database)?.sequence ?? 0;
    try {
      const bucket = await this.open();
      // Another daemon could name one after commands that do not exist yet.
      const known = (await bucket.list()).filter(({ sequence }) => sequence <= applied);
      const endMs = (nowMs ?? known[0]?.storedMs ?? 0) - ageMs;
      for (const [at, snapshot] of known.entries()) {
        if (snapshot.storedMs > endMs || !(await this.isUsable(bucket, snapshot))) continue;
        // Parts of newer ones may lie before its own, when several daemons stored one at the same time.
        await bucket.eraseBefore(known.slice(0, at + 1));
        await eraseCommands(snapshot.sequence);
        return;
      }
    } catch (error) {
      warn(`the servers keep what a snapshot of the network replaces, for now: ${getErrorMessage(error)}`);
    }
  }

  /**
   * Replaces the shared rows by the newest snapshot with at least the commands before number `firstSequence`, after
   * which the stream still holds every command, and with none after number `lastSequence`, which the servers have lost.
   * Rejects when there is none; it must then be called again.
   */
  async load({ identity, firstSequence, lastSequence }: SnapshotsOfStream): Promise<void> {
    const { warn } = this.parts;
    const bucket = await this.open();
    for (const snapshot of await bucket.list()) {
      if (snapshot.sequence + 1 < firstSequence) break;
      if (snapshot.sequence > lastSequence) continue;
      try {
        await this.loadOne(snapshot, bucket.read(snapshot), identity);
        return;
      } catch (error) {
        warn(`the snapshot ${snapshot.sequence} of the network cannot be used: ${getErrorMessage(error)}`);
      }
    }
    throw new Error('the network has no snapshot that can be used yet');
  }

  private async loadOne(snapshot: StoredSnapshot, bytes: Readable, identity: string): Promise<void> {
    const { files } = this.parts;
    try {
      await files.write(DOWNLOAD, bytes);
      const source = this.sourceOf(snapshot, identity, () => files.read(DOWNLOAD));
      await loadSharedState(this.parts, source, snapshot.name);
    } finally {
      await files.remove(DOWNLOAD);
    }
  }

  /** Whether a snapshot can be loaded. Any member of the network can store one that looks like the newest. */
  private async isUsable(bucket: SnapshotBucket, snapshot: StoredSnapshot): Promise<boolean> {
    const { database, warn } = this.parts;
    const id = `${snapshot.parts} ${snapshot.storedMs}`;
    if (this.usable.has(id)) return true;
    try {
      const source = this.sourceOf(snapshot, readState(database)?.identity ?? '', () => bucket.read(snapshot));
      await checkSharedState(database, source);
      this.usable.add(id);
      return true;
    } catch (error) {
      warn(`the snapshot ${snapshot.sequence} of the network replaces nothing: ${getErrorMessage(error)}`);
      return false;
    }
  }

  private sourceOf({ sequence }: StoredSnapshot, identity: string, open: () => Readable): SnapshotSource {
    const { network } = this.parts;
    return {
      open,
      network,
      accept: (head) => head.network === network && head.created === identity && head.sequence === sequence,
    };
  }

  private open(): Promise<SnapshotBucket> {
    this.bucket ??= this.parts.openBucket().catch((error: unknown) => {
      this.bucket = undefined;
      throw error;
    });
    return this.bucket;
  }
}
