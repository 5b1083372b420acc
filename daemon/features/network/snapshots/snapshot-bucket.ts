import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { within } from '../../../lib/async/within.js';
import type { Clock } from '../../../lib/time/clock.js';
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
/** The servers send nothing at all of a snapshot whose parts were erased just before it was asked for. */
const SILENCE_MS = 30_000;

/** The snapshots of one network in the object store of its servers: a stream of their parts. */
export class SnapshotBucket {
  private constructor(
    private readonly store: ObjectStore,
    private readonly manager: JetStreamManager,
    private readonly bucket: string,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  /** Opens the bucket of a network, and creates it with so many replicas when there is none. */
  static async open(
    client: JetStreamClient,
    { network, replicas, clock }: { network: string; replicas: number; clock: Pick<Clock, 'after'> },
  ): Promise<SnapshotBucket> {
    const { Objm } = await import('@nats-io/obj');
    const description = `Snapshots of the meshd network ${network}`;
    const bucket = `MESHD_${network}`;
    const store = await new Objm(client).create(bucket, { replicas, description, storage: 'file' });
    return new SnapshotBucket(store, await client.jetstreamManager(false), bucket, clock);
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

  /**
   * Returns the bytes, or undefined when it was deleted. Reading them fails when parts of it are missing or damaged,
   * and when the servers send nothing for 30 seconds.
   */
  async get({ name }: StoredSnapshot): Promise<Readable | undefined> {
    const object = await this.store.get(name);
    // It rejects with what reading the bytes rejects with.
    object?.error.catch(() => undefined);
    return object ? Readable.from(this.read(object.data)) : undefined;
  }

  private async *read(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const reader = bytes.getReader();
    try {
      for (;;) {
        const part = await within(this.clock, SILENCE_MS, reader.read());
        if (!part) throw new Error(`the servers sent nothing of it for ${SILENCE_MS / 1_000} seconds`);
        if (part.done) return;
        yield part.value;
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
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
