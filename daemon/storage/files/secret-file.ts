import { dirname } from 'node:path';
import { ensureDirectory } from './atomic-write.js';
import { JsonFile, type JsonObject } from './json-file.js';

/** A JSON file of secrets: 0600 in a directory of 0700, regardless of the umask. */
export class SecretFile extends JsonFile {
  constructor(path: string) {
    super(path, 0o600);
  }

  /** Like `JsonFile`. Throws `forbidden` when the directory is a link or a file. */
  override async read(): Promise<JsonObject | null> {
    await ensureDirectory(dirname(this.path), 0o700);
    return super.read();
  }

  override async write(value: JsonObject): Promise<void> {
    await ensureDirectory(dirname(this.path), 0o700);
    await super.write(value);
  }
}
