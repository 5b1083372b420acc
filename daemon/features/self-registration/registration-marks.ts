import { Mutex } from 'async-mutex';
import { SURFACES, type Surface } from '../../contract/network/agents.js';
import type { JsonAdapter } from '../../storage/files/json-file.js';
import { JsonObjectStore } from '../../storage/files/json-store.js';
import type { Registration } from './surface-ports.js';

export interface Mark extends Registration {
  surface: Surface;
}

/** Registrations that are remembered, the newest. */
const MARKS_KEPT = 4_000;

/**
 * Records which registrations are the daemon's own self-registrations, in a file of the state folder. It contains no
 * secret, so it can be written when keys cannot, and it survives the loss of keys. Registrations whose key is lost are
 * withdrawn by it. One that has ended stays recorded: it returns when a copy of the shared data is restored. Writes are
 * serialized, and changes made while one is pending are batched.
 */
export class RegistrationMarks {
  private marks: readonly Mark[] = [];
  private readonly mutex = new Mutex();
  private readonly low: JsonObjectStore;
  /** The pending write that has not begun. Changes made until it begins are included in it. */
  private next: Promise<void> | undefined;

  constructor(file: JsonAdapter) {
    this.low = new JsonObjectStore(file);
  }

  /** Skips invalid entries. Throws `store_readonly` when the file is not a JSON object. */
  async load(): Promise<void> {
    await this.low.read();
    const rows: unknown = this.low.data['registrations'];
    this.marks = Array.isArray(rows) ? rows.filter(isMark) : [];
  }

  list(): readonly Mark[] {
    return this.marks;
  }

  /** Durable when it resolves. */
  put(mark: Mark): Promise<void> {
    this.marks = [...this.marks, mark].slice(-MARKS_KEPT);
    if (this.next) return this.next;
    this.next = this.mutex.runExclusive(() => {
      this.next = undefined;
      this.low.data = { registrations: this.marks };
      return this.low.write();
    });
    return this.next;
  }
}

function isMark(value: unknown): value is Mark {
  const { surface, agent_id, rid } = (value ?? {}) as Partial<Record<keyof Mark, unknown>>;
  return SURFACES.some((one) => one === surface) && typeof agent_id === 'string' && typeof rid === 'string';
}
