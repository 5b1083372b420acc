import { AGENT_FORMATS, type AgentFormat } from '../../contract/imports.js';
import { isObject } from '../../lib/is-object.js';
import type { JsonFile } from '../../storage/files/json-file.js';

/** A file that this machine wrote for a member, and its digest. */
interface WrittenFile {
  path: string;
  sha256: string;
  id: string;
  format: AgentFormat;
  /** Whether the file did not exist before. A file that replaced one of others is never removed. */
  created: boolean;
}

/**
 * Records of this machine: the files that it wrote for other tools, and the members that it imported from the home
 * folder. Member files are committed and therefore untrusted; these records are not. Only they allow the daemon to
 * overwrite a file or to read the home folder again.
 */
export class ImportRecords {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: Pick<JsonFile, 'read' | 'write'>) {}

  /** Whether the file at `path` equals, byte for byte, what this daemon last wrote there. */
  async isOurs(path: string, sha256: string): Promise<boolean> {
    return (await this.findWritten(path))?.sha256 === sha256;
  }

  /** Returns what this machine last wrote at `path`, or undefined. */
  async findWritten(path: string): Promise<WrittenFile | undefined> {
    return writtenIn(path, (await this.part('written')).get(path));
  }

  /** Returns every file that this machine wrote and did not remove again. */
  async listWritten(): Promise<WrittenFile[]> {
    return [...(await this.part('written'))].flatMap(([path, said]) => writtenIn(path, said) ?? []);
  }

  wrote({ path, ...said }: WrittenFile): Promise<void> {
    return this.note('written', path, said);
  }

  forget(path: string): Promise<void> {
    return this.note('written', path, undefined);
  }

  /** Whether this machine imported the member `id` from `source` in the home folder. */
  async isFromHome(id: string, source: string): Promise<boolean> {
    return (await this.part('from_home')).get(id) === source;
  }

  importedFromHome(id: string, source: string): Promise<void> {
    return this.note('from_home', id, source);
  }

  /** The member `id` was not imported after all. */
  forgetHome(id: string): Promise<void> {
    return this.note('from_home', id, undefined);
  }

  private async part(name: string): Promise<Map<string, unknown>> {
    const whole = (await this.file.read()) ?? {};
    return new Map(Object.entries(isObject(whole[name]) ? whole[name] : {}));
  }

  /** Serializes updates, so that each one reads the result of the previous one. */
  private note(name: string, key: string, value: unknown): Promise<void> {
    const noted = this.turn.then(async () => {
      const whole = (await this.file.read()) ?? {};
      const part = new Map(Object.entries(isObject(whole[name]) ? whole[name] : {}));
      if (value === undefined) part.delete(key);
      else part.set(key, value);
      await this.file.write({ ...whole, [name]: Object.fromEntries(part) });
    });
    this.turn = noted.catch(() => undefined);
    return noted;
  }
}

function writtenIn(path: string, said: unknown): WrittenFile | undefined {
  if (!isObject(said)) return undefined;
  const { sha256, id, format, created } = said;
  const known = AGENT_FORMATS.find((one) => one === format);
  if (typeof sha256 !== 'string' || typeof id !== 'string' || !known) return undefined;
  return { path, sha256, id, format: known, created: created === true };
}
