import { isMemberId } from '../../lib/agents/member-id.js';
import { JsonStore } from '../../storage/files/json-store.js';
import type { SecretFile } from '../../storage/files/secret-file.js';

/** The operator's decision on a member whose file says `external`: to expose it, or to keep it internal. */
const DECISIONS = ['agreed', 'kept_internal'] as const;
type Decision = (typeof DECISIONS)[number];

interface StoredDecisions {
  decisions: ReadonlyMap<string, Decision>;
  hasFile: boolean;
}

/**
 * Stores the operator's decisions on members, `{id: decision}`, in this machine's state, where a repository cannot
 * supply them. Memory changes only after the disk; changes are serialized.
 */
export class Agreements {
  private readonly store: JsonStore<StoredDecisions>;

  constructor(file: SecretFile) {
    this.store = new JsonStore<StoredDecisions>(file, {
      // Unknown entries are ignored.
      parse: (content) => ({
        hasFile: content !== null,
        decisions: new Map(
          Object.entries(content ?? {}).flatMap(([id, value]) => {
            const decision = DECISIONS.find((one) => one === value);
            return isMemberId(id) && decision ? [[id, decision] as const] : [];
          }),
        ),
      }),
      stringify: ({ decisions }) => Object.fromEntries(decisions),
    });
  }

  /** Throws `store_readonly` when the file exists and is not a JSON object. It is then never overwritten. */
  load(): Promise<void> {
    return this.store.load();
  }

  /** Whether no decision was ever stored for this project on this machine. */
  get isFirstUse(): boolean {
    return !this.store.data.hasFile;
  }

  ids(): string[] {
    return [...this.store.data.decisions.keys()];
  }

  find(id: string): Decision | undefined {
    return this.store.data.decisions.get(id);
  }

  /**
   * Records `decision` for those of `ids` that `isStillAsked` accepts at the time of the write. Always creates the
   * file.
   */
  decide(ids: readonly string[], decision: Decision, isStillAsked: (id: string) => boolean): Promise<void> {
    return this.change((decisions) => {
      for (const id of ids) if (isStillAsked(id)) decisions.set(id, decision);
    });
  }

  /** Deletes the decision on a member. */
  forget(id: string): Promise<void> {
    return this.change((decisions) => void decisions.delete(id));
  }

  private change(edit: (decisions: Map<string, Decision>) => void): Promise<void> {
    return this.store.update((now) => {
      const next = new Map(now.decisions);
      edit(next);
      return now.hasFile && isSame(now.decisions, next) ? now : { decisions: next, hasFile: true };
    });
  }
}

const isSame = (a: ReadonlyMap<string, Decision>, b: ReadonlyMap<string, Decision>) =>
  a.size === b.size && [...a].every(([id, decision]) => b.get(id) === decision);
