import { Mutex } from 'async-mutex';
import { type Adapter, Low } from 'lowdb';
import type { JsonAdapter, JsonObject } from './json-file.js';

/** How the data of a store is written as JSON. */
export interface JsonFormat<T> {
  /** The data in a file, or of no file at all. What it throws keeps the file from ever being overwritten. */
  parse(content: JsonObject | null): T;
  stringify(data: T): JsonObject;
}

/** One JSON object as it stands in its file: whoever holds it says when it is read and when `data` is written. */
export class JsonObjectStore extends Low<JsonObject> {
  constructor(file: JsonAdapter) {
    super(file, {});
  }
}

/** A lowdb database whose memory never runs ahead of the disk: `data` changes once the change is durable, and stays the old one when it cannot be written. */
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

  /** Reads the file the first time it is called, and again after it could not be read. */
  load(): Promise<void> {
    this.loading ??= this.read().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /**
   * Replaces the data by what `edit` makes of it; the same object again changes nothing. Updates run one after another. lowdb's own would let
   * `edit` change the data in place and leave it changed when the write fails.
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
