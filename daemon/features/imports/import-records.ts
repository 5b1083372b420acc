import type { JsonFile } from '../../storage/json-file.js';
import { isObject } from './foreign-agent.js';

/**
 * What this machine did: the files that it wrote for other tools, and the members that it imported from the home folder. Member files are committed
 * and so anybody's word; this is not, so only what it says makes the daemon overwrite a file, or look into the home folder again.
 */
export class ImportRecords {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: Pick<JsonFile, 'read' | 'write'>) {}

  /** Whether the file at `path` is, byte for byte, what this daemon wrote there last. */
  async isOurs(path: string, sha256: string): Promise<boolean> {
    return (await this.part('written')).get(path) === sha256;
  }

  wrote(path: string, sha256: string): Promise<void> {
    return this.note('written', path, sha256);
  }

  /** Whether this machine imported the member `id` from `source` in the home folder. */
  async isFromHome(id: string, source: string): Promise<boolean> {
    return (await this.part('from_home')).get(id) === source;
  }

  importedFromHome(id: string, source: string): Promise<void> {
    return this.note('from_home', id, source);
  }

  private async part(name: string): Promise<Map<string, unknown>> {
    const whole = (await this.file.read()) ?? {};
    return new Map(Object.entries(isObject(whole[name]) ? whole[name] : {}));
  }

  /** Notes wait for each other: each reads what the last one wrote. */
  private note(name: string, key: string, value: string): Promise<void> {
    const noted = this.turn.then(async () => {
      const whole = (await this.file.read()) ?? {};
      const part = new Map(Object.entries(isObject(whole[name]) ? whole[name] : {}));
      await this.file.write({ ...whole, [name]: Object.fromEntries(part.set(key, value)) });
    });
    this.turn = noted.catch(() => undefined);
    return noted;
  }
}
