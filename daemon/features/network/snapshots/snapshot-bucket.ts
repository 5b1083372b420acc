import { randomUUID } from 'node:crypto';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { eraseMessages, findSequence } from '../command-stream.js';

/** A snapshot on the servers. */
export interface StoredSnapshot {
  name: string;
  sequence: number;
  /** When it was stored, in milliseconds since 1970 by the clock of its maker. */
  storedMs: number;
  /** The name of its parts on the servers. */
  parts: string;
}

const NAME = /^snapshot-(\d{1,15})(?:-[0-9a-f]{8})?$/;
const PUT_MS = 30_000;

/** The snapshots of one network in the object store of its servers: a stream of their parts. */
export class SnapshotBucket {
  private constructor(
    private readonly store: ObjectStore,
    private readonly manager: JetStreamManager,
    private readonly bucket: string,
  ) {}

  /** Opens the bucket of a network, and creates it with so many replicas when there is none. */
  static async open(client: JetStreamClient, network: string, replicas: number): Promise<SnapshotBucket> {
    const { Objm } = await import('@nats-io/obj');
    const description = `Snapshots of the meshd network ${network}`;
    const bucket = `MESHD_${network}`;
    const store = await new Objm(client).create(bucket, { replicas, description, storage: 'file' });
    return new SnapshotBucket(store, await client.jetstreamManager(false), bucket);
  }

  /** The newest first. */
  async list(): Promise<StoredSnapshot[]> {
    const objects = await this.store.list();
    return objects
      .flatMap(({ name, mtime, deleted, nuid: parts }) => {
        const sequence = NAME.exec(name)?.[1];
        return sequence === undefined || deleted
          ? []
          : [{ name, sequence: Number(sequence), storedMs: Date.parse(mtime), parts }];
      })
      .sort((a, b) => b.sequence - a.sequence || b.storedMs - a.storedMs);
  }

  /** Stores a snapshot beside others of the same state: what is replaced could not be erased any more. */
  async put(sequence: number, bytes: ReadableStream<Uint8Array>): Promise<void> {
    const name = `snapshot-${sequence}-${randomUUID().slice(0, 8)}`;
    await this.store.put({ name }, bytes, { timeout: PUT_MS });
  }

  /** Returns the bytes, or undefined when it was deleted. Their digest is checked at the end of the stream. */
  async get({ name }: StoredSnapshot): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await this.store.get(name))?.data;
  }

  /**
   * Erases everything that was stored before these snapshots: older ones, and parts of those that were never finished.
   * When one of them is gone, another daemon has erased more than that.
   */
  async eraseBefore(kept: readonly StoredSnapshot[]): Promise<void> {
    const { manager, bucket } = this;
    const stream = `OBJ_${bucket}`;
    const firsts = await Promise.all(
      kept.map(({ parts }) => findSequence(manager, stream, { seq: 1, next_by_subj: `$O.${bucket}.C.${parts}` })),
    );
    await eraseMessages(manager, stream, Math.min(...firsts.map((first) => first ?? 0)) - 1);
  }
}
