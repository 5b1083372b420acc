import { dirname } from 'node:path';
import { ensureDirectory } from './atomic-write.js';
import { JsonFile } from './json-file.js';

/** A JSON file of secrets: 0600 in a directory of 0700, whatever the umask. */
export class SecretFile {
  private readonly file: JsonFile;

  constructor(readonly path: string) {
    this.file = new JsonFile(path, 0o600);
  }

  /** As JsonFile. Throws `forbidden` when the directory is a link or a file. */
  async read(): Promise<Record<string, unknown> | undefined> {
    await ensureDirectory(dirname(this.path), 0o700);
    return this.file.read();
  }

  async write(value: Record<string, unknown>): Promise<void> {
    await ensureDirectory(dirname(this.path), 0o700);
    await this.file.write(value);
  }
}
