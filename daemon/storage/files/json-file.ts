import type { FileHandle } from 'node:fs/promises';
import type { Adapter } from 'lowdb';
import { toStorageError } from '../../lib/disk-errors.js';
import { MeshError } from '../../lib/errors.js';
import { openPrivate } from '../../private/private-file.js';
import { atomicWrite } from './atomic-write.js';

export type JsonObject = Record<string, unknown>;
/** Reads and writes such an object: a file or a substitute for one. */
export type JsonAdapter = Adapter<JsonObject>;

/**
 * A lowdb adapter for small files of the operator, each with one JSON object. lowdb's own adapters follow links, create
 * files that others can read, and never sync to disk.
 */
export class JsonFile implements JsonAdapter {
  constructor(
    readonly path: string,
    private readonly mode: number,
  ) {}

  /**
   * Returns the object in the file, or null when the file does not exist. Tightens permissions that are wider than the
   * file's mode. Throws `forbidden` when it is not a regular file of this user with a single name, and `store_readonly`
   * when it does not hold a JSON object. The message never quotes the content.
   */
  async read(): Promise<JsonObject | null> {
    let file: FileHandle | undefined;
    try {
      file = await openPrivate(this.path, this.mode);
      return file ? this.parse(await file.readFile('utf8')) : null;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      await file?.close();
    }
  }

  /** Replaces the file. Throws `no_space` and `store_readonly`; the old content then remains. */
  async write(value: JsonObject): Promise<void> {
    await atomicWrite(this.path, `${JSON.stringify(value, null, 2)}\n`, this.mode);
  }

  private parse(text: string): JsonObject {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The parser's own message quotes the text, which may be secret.
      throw this.damaged('is not JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.damaged('is not a JSON object');
    return value as JsonObject;
  }

  private damaged(how: string): MeshError {
    return new MeshError('store_readonly', `${this.path} ${how}: mend it, or remove it to start it anew.`);
  }
}
