import type { JetStreamClient } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';

/** A snapshot on the servers. */
export interface StoredSnapshot {
  name: string;
  sequence: number;
  /** When it was stored, in milliseconds since 1970 by the clock of its maker. */
  storedMs: number;
}

const NAME = /^snapshot-(\d{1,15})$/;
const PUT_MS = 30_000;

/** The snapshots of one network in the object store of its servers. */
export class SnapshotBucket {
  private constructor(private readonly store: ObjectStore) {}

  /** Opens the bucket of a network, and creates it with so many replicas when there is none. */
  static async open(client: JetStreamClient, network: string, replicas: number): Promise<SnapshotBucket> {
    const { Objm } = await import('@nats-io/obj');
    const description = `Snapshots of the meshd network ${network}`;
    return new SnapshotBucket(
      await new Objm(client).create(`MESHD_${network}`, { replicas, description, storage: 'file' }),
    );
  }

  /** The newest first. */
  async list(): Promise<StoredSnapshot[]> {
    const objects = await this.store.list();
    return objects
      .flatMap(({ name, mtime, deleted }) => {
        const sequence = NAME.exec(name)?.[1];
        return sequence === undefined || deleted
          ? []
          : [{ name, sequence: Number(sequence), storedMs: Date.parse(mtime) }];
      })
      .sort((a, b) => b.sequence - a.sequence);
  }

  async put(sequence: number, bytes: ReadableStream<Uint8Array>): Promise<void> {
    await this.store.put({ name: `snapshot-${sequence}` }, bytes, { timeout: PUT_MS });
  }

  /** Returns the bytes, or undefined when it was deleted. Their digest is checked at the end of the stream. */
  async get({ name }: StoredSnapshot): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await this.store.get(name))?.data;
  }

  async delete({ name }: StoredSnapshot): Promise<void> {
    await this.store.delete(name);
  }
}
