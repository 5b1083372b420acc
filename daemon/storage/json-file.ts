import type { FileHandle } from 'node:fs/promises';
import type { Adapter } from 'lowdb';
import { asStorageError } from '../lib/disk-errors.js';
import { MeshError } from '../lib/errors.js';
import { openPrivate } from '../private/private-file.js';
import { atomicWrite } from './atomic-write.js';

export type JsonObject = Record<string, unknown>;
/** Where such an object is read and written: a file, or what stands in for one. */
export type JsonAdapter = Adapter<JsonObject>;

/**
 * The adapter of lowdb for small files of the operator's, each with one JSON object in it. Its own adapters follow links, make files that others
 * can read, and never wait for the disk.
 */
export class JsonFile implements JsonAdapter {
  constructor(
    readonly path: string,
    private readonly mode: number,
  ) {}

  /**
   * The object in the file, or null when there is no file. Tightens permissions that are wider than the file's mode. Throws
   * `forbidden` when it is no regular file of this user's under one name, `store_readonly` when it holds no JSON object; the message never quotes it.
   */
  async read(): Promise<JsonObject | null> {
    let file: FileHandle | undefined;
    try {
      file = await openPrivate(this.path, this.mode);
      return file ? this.parse(await file.readFile('utf8')) : null;
    } catch (error) {
      throw asStorageError(error);
    } finally {
      await file?.close();
    }
  }

  /** Replaces the file. Throws `no_space`, `store_readonly`; the old content then stands. */
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
