import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { type Static, Type } from 'typebox';
import { parseUntrustedJson } from '../../../http/untrusted-json.js';
import { hasForm } from '../../../shared-log/has-form.js';
import { eraseMessages, findMessage, findSequence, withSizeIfNeeded } from '../command-stream.js';

/** A snapshot on the servers. */
export interface StoredSnapshot {
  name: string;
  sequence: number;
  /** When the servers stored it, in milliseconds since 1970 by their clock. */
  storedMs: number;
  /** The name of its parts on the servers. */
  parts: string;
}

const NAME = /^snapshot-(\d{1,15})(?:-[0-9a-f]{8})?$/;
const PUT_MS = 30_000;

/** What the object store keeps of an object beside its parts, as far as it is read here. */
const Entry = Type.Object({
  name: Type.String(),
  nuid: Type.String({ pattern: '^[0-9A-Za-z]{1,64}$' }),
  chunks: Type.Integer({ minimum: 1 }),
});
const ENTRY_DEPTH_MAX = 3;

function parseEntry(data: Uint8Array): Static<typeof Entry> | undefined {
  const value = parseUntrustedJson(data, { depth: ENTRY_DEPTH_MAX });
  return hasForm(Entry, value) ? (value as Static<typeof Entry>) : undefined;
}

/**
 * The snapshots of one network in the object store of its servers: a stream of their parts. They are read message by
 * message. The client's own `list` and `get` can wait forever for a message that is erased meanwhile, and follow links,
 * which every member of the network can make.
 */
export class SnapshotBucket {
  private readonly stream: string;

  private constructor(
    private readonly store: ObjectStore,
    private readonly manager: JetStreamManager,
    private readonly bucket: string,
  ) {
    this.stream = `OBJ_${bucket}`;
  }

  /** Opens the bucket of a network, and creates it with so many replicas when there is none. */
  static async open(client: JetStreamClient, network: string, replicas: number): Promise<SnapshotBucket> {
    const { Objm } = await import('@nats-io/obj');
    const description = `Snapshots of the meshd network ${network}`;
    const bucket = `MESHD_${network}`;
    const store = await withSizeIfNeeded((size) =>
      new Objm(client).create(bucket, { replicas, description, storage: 'file', ...size }),
    );
    return new SnapshotBucket(store, await client.jetstreamManager(false), bucket);
  }

  /** Those of which no part is missing, the newest first. */
  async list(): Promise<StoredSnapshot[]> {
    const { manager, stream, bucket } = this;
    const { state } = await manager.streams.info(stream, { subjects_filter: `$O.${bucket}.>` });
    const { subjects: counts = {} } = state;
    const entries = Object.keys(counts).filter((subject) => subject.startsWith(`$O.${bucket}.M.`));
    const found = await Promise.all(entries.map((subject) => this.find(subject, counts)));
    return found.flat().sort((a, b) => b.sequence - a.sequence || b.storedMs - a.storedMs);
  }

  /** Stores a snapshot beside others of the same state: what is replaced could not be erased any more. */
  async put(sequence: number, bytes: ReadableStream<Uint8Array>): Promise<void> {
    const name = `snapshot-${sequence}-${randomUUID().slice(0, 8)}`;
    await this.store.put({ name }, bytes, { timeout: PUT_MS });
  }

  /** The bytes, as far as the servers hold them: whoever reads must check that nothing is missing. */
  read({ parts }: StoredSnapshot): Readable {
    return Readable.from(this.readParts(this.subjectOf(parts)));
  }

  /**
   * Erases everything that was stored before these snapshots: older ones, and parts of those that were never finished.
   * When one of them is gone, another daemon has erased more than that.
   */
  async eraseBefore(kept: readonly StoredSnapshot[]): Promise<void> {
    const { manager, stream } = this;
    const firsts = await Promise.all(
      kept.map(({ parts }) => findSequence(manager, stream, { seq: 1, next_by_subj: this.subjectOf(parts) })),
    );
    await eraseMessages(manager, stream, Math.min(...firsts.map((first) => first ?? 0)) - 1);
  }

  /** Returns the snapshot that a message names; nothing for another object, or when some of it is erased. */
  private async find(subject: string, counts: Readonly<Record<string, number>>): Promise<StoredSnapshot[]> {
    const message = await findMessage(this.manager, this.stream, { last_by_subj: subject });
    const entry = message && parseEntry(message.data);
    if (!entry || counts[this.subjectOf(entry.nuid)] !== entry.chunks) return [];
    const { name, nuid: parts } = entry;
    const sequence = NAME.exec(name)?.[1];
    return sequence === undefined
      ? []
      : [{ name, sequence: Number(sequence), storedMs: message.time.getTime(), parts }];
  }

  private subjectOf(parts: string): string {
    return `$O.${this.bucket}.C.${parts}`;
  }

  private async *readParts(subject: string): AsyncGenerator<Uint8Array> {
    for (let next = 1; ; ) {
      const part = await findMessage(this.manager, this.stream, { seq: next, next_by_subj: subject });
      if (!part) return;
      yield part.data;
      next = part.seq + 1;
    }
  }
}
