import { Mutex } from 'async-mutex';
import { SURFACES, type Surface } from '../../contract/network/agents.js';
import { MeshError } from '../../lib/errors.js';
import { JsonObjectStore } from '../../storage/files/json-store.js';
import type { SecretFile } from '../../storage/files/secret-file.js';

/** The key of one self-registration. */
interface RegistrationKey {
  agent_id: string;
  api_key: string;
}

type Keys = Partial<Record<Surface, RegistrationKey>>;

/**
 * The keys of the self-registrations, `{member: {surface: {agent_id, api_key}}}`, in one file that only the operator
 * can read. While no secret may be written, they are kept in memory for this run only. Writes are serialized.
 */
export class RegistrationKeys {
  private readonly keys = new Map<string, Keys>();
  private readonly mutex = new Mutex();
  private readonly low: JsonObjectStore;
  private isDirty = false;

  constructor(
    private readonly file: SecretFile,
    private readonly mayWrite: () => Promise<boolean>,
  ) {
    this.low = new JsonObjectStore(file);
  }

  /** Throws `store_readonly` when the file exists and is invalid. It is then never overwritten. */
  async load(): Promise<void> {
    await this.low.read();
    for (const [member, value] of Object.entries(this.low.data)) this.keys.set(member, this.checked(value));
  }

  /** Members with at least one stored key. */
  members(): string[] {
    return [...this.keys.keys()];
  }

  find(member: string, surface: Surface): RegistrationKey | undefined {
    return this.keys.get(member)?.[surface];
  }

  /** Whether there are changes that are not in the file. */
  get isUnsaved(): boolean {
    return this.isDirty;
  }

  /** Resolves when the key is on disk, or when writing is not permitted. */
  put(member: string, surface: Surface, key: RegistrationKey): Promise<void> {
    this.keys.set(member, { ...this.keys.get(member), [surface]: key });
    this.isDirty = true;
    return this.save();
  }

  drop(member: string, surface: Surface): Promise<void> {
    const { [surface]: _, ...others } = this.keys.get(member) ?? {};
    if (Object.keys(others).length === 0) this.keys.delete(member);
    else this.keys.set(member, others);
    this.isDirty = true;
    return this.save();
  }

  /** Writes pending changes if that is permitted. */
  save(): Promise<void> {
    return this.mutex.runExclusive(async () => {
      if (!this.isDirty || !(await this.mayWrite())) return;
      this.isDirty = false;
      this.low.data = Object.fromEntries(this.keys);
      await this.low.write().catch((error: unknown) => {
        this.isDirty = true;
        throw error;
      });
    });
  }

  private checked(value: unknown): Keys {
    const keys: Keys = {};
    for (const surface of SURFACES) {
      const found = (value as Record<string, unknown> | null)?.[surface] as Partial<RegistrationKey> | undefined;
      if (found === undefined) continue;
      if (typeof found?.agent_id !== 'string' || typeof found.api_key !== 'string') {
        throw new MeshError(
          'store_readonly',
          `${this.file.path} is damaged: mend it, or remove it to have the members registered anew.`,
        );
      }
      keys[surface] = { agent_id: found.agent_id, api_key: found.api_key };
    }
    return keys;
  }
}
