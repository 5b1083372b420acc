import { isMemberId } from '../../lib/member-id.js';
import type { SecretFile } from '../../storage/secret-file.js';

/** What the operator decided about a member whose file says `external`: to expose it, or to keep it internal. */
const DECISIONS = ['agreed', 'kept_internal'] as const;
export type Decision = (typeof DECISIONS)[number];

/**
 * What the operator decided about members, `{id: decision}`, in the state of this machine: a repository cannot bring
 * it along. What is in memory changes only after it is on disk; changes wait for each other.
 */
export class Agreements {
  private decisions: ReadonlyMap<string, Decision> = new Map();
  private last: Promise<unknown> = Promise.resolve();
  private hasFile = false;

  constructor(private readonly file: SecretFile) {}

  /**
   * Unknown entries are no decision. Throws `store_readonly` when the file is there and is no JSON object; it is never
   * overwritten then.
   */
  async load(): Promise<void> {
    const found = await this.file.read();
    this.hasFile = found !== undefined;
    this.decisions = new Map(
      Object.entries(found ?? {}).flatMap(([id, value]) => {
        const decision = DECISIONS.find((one) => one === value);
        return isMemberId(id) && decision ? [[id, decision] as const] : [];
      }),
    );
  }

  /** Whether nothing was ever decided in this project on this machine. */
  get isFirstUse(): boolean {
    return !this.hasFile;
  }

  ids(): string[] {
    return [...this.decisions.keys()];
  }

  find(id: string): Decision | undefined {
    return this.decisions.get(id);
  }

  /**
   * Records `decision` about those of `ids` that `isStillAsked` names when its turn has come. The file exists
   * afterwards.
   */
  decide(ids: readonly string[], decision: Decision, isStillAsked: (id: string) => boolean): Promise<void> {
    return this.change((decisions) => {
      for (const id of ids) if (isStillAsked(id)) decisions.set(id, decision);
    });
  }

  /** Forgets what was decided about `ids`. */
  forget(ids: readonly string[]): Promise<void> {
    return ids.length === 0
      ? Promise.resolve()
      : this.change((decisions) => {
          for (const id of ids) decisions.delete(id);
        });
  }

  private change(edit: (decisions: Map<string, Decision>) => void): Promise<void> {
    const turn = this.last.then(async () => {
      const next = new Map(this.decisions);
      edit(next);
      if (this.hasFile && isSame(this.decisions, next)) return;
      await this.file.write(Object.fromEntries(next));
      this.hasFile = true;
      this.decisions = next;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const isSame = (a: ReadonlyMap<string, Decision>, b: ReadonlyMap<string, Decision>) =>
  a.size === b.size && [...a].every(([id, decision]) => b.get(id) === decision);
