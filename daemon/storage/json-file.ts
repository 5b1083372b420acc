import type { FileHandle } from 'node:fs/promises';
import { asStorageError } from '../lib/disk-errors.js';
import { MeshError } from '../lib/errors.js';
import { openPrivate } from '../private/private-file.js';
import { atomicWrite } from './atomic-write.js';

/** A small file with one JSON object in it, written whole or not at all. */
export class JsonFile {
  constructor(
    readonly path: string,
    private readonly mode: number,
  ) {}

  /**
   * The object in the file, or undefined when there is no file. Tightens permissions that are wider than the file's mode. Throws
   * `forbidden` when it is no regular file of this user's under one name, `store_readonly` when it holds no JSON object; the message never quotes it.
   */
  async read(): Promise<Record<string, unknown> | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await openPrivate(this.path, this.mode);
      return file && this.parse(await file.readFile('utf8'));
    } catch (error) {
      throw asStorageError(error);
    } finally {
      await file?.close();
    }
  }

  /** Replaces the file. Throws `no_space`, `store_readonly`; the old content then stands. */
  async write(value: Record<string, unknown>): Promise<void> {
    await atomicWrite(this.path, `${JSON.stringify(value, null, 2)}\n`, this.mode);
  }

  private parse(text: string): Record<string, unknown> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The parser's own message quotes the text, which may be secret.
      throw this.damaged('is not JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.damaged('is not a JSON object');
    return value as Record<string, unknown>;
  }

  private damaged(how: string): MeshError {
    return new MeshError('store_readonly', `${this.path} ${how}: mend it, or remove it to start it anew.`);
  }
}
