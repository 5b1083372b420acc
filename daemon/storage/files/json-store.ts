import { Mutex } from 'async-mutex';
import { type Adapter, Low } from 'lowdb';
import type { JsonAdapter, JsonObject } from './json-file.js';

/** How the data of a store is represented as JSON. */
interface JsonFormat<T> {
  /**
   * Returns the data of a file, or the initial data for null (no file). When it throws, the file is never overwritten.
   */
  parse(content: JsonObject | null): T;
  stringify(data: T): JsonObject;
}

/** One JSON object as it is in its file. The caller decides when it is read and when `data` is written. */
export class JsonObjectStore extends Low<JsonObject> {
  constructor(file: JsonAdapter) {
    super(file, {});
  }
}

/**
 * A lowdb database whose memory is never ahead of the disk: `data` changes once the change is durable, and remains
 * unchanged when the write fails.
 */
export class JsonStore<T extends object> extends Low<T> {
  private readonly mutex = new Mutex();
  private loading: Promise<void> | undefined;

  constructor(file: JsonAdapter, format: JsonFormat<T>) {
    const adapter: Adapter<T> = {
      read: async () => format.parse(await file.read()),
      write: (data) => file.write(format.stringify(data)),
    };
    super(adapter, format.parse(null));
  }

  /** Reads the file on the first call, and again after a failed read. */
  load(): Promise<void> {
    this.loading ??= this.read().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /**
   * Replaces the data with the result of `edit`; returning the same object changes nothing. Updates run one after
   * another. lowdb's own `update` lets `edit` change the data in place, and keeps the change when the write fails.
   */
  override update(edit: (data: T) => T | Promise<T>): Promise<void> {
    return this.mutex.runExclusive(async () => {
      await this.load();
      const next = await edit(this.data);
      if (next === this.data) return;
      await this.adapter.write(next);
      this.data = next;
    });
  }
}
