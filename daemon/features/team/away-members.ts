import type { Clock } from '../../lib/time/clock.js';

/** For how long what is keyed on a member is kept while its file is gone from the disk. */
const AWAY_MS = 15 * 60_000;

interface AwayFile {
  /** The SHA-256 of the file when it was last there. */
  revision: string;
  cancel: () => void;
  /** Set once the member counts as gone. */
  gone?: Promise<unknown>;
}

/**
 * Members whose files left the disk without a request, as when git stashes them or changes to another branch. Only the
 * same file takes up again what was keyed on the member: another one of its name may be another member.
 */
export class AwayMembers {
  private readonly files = new Map<string, AwayFile>();

  /** `end` deletes what is keyed on a member that does not come back. It never rejects. */
  constructor(
    private readonly clock: Clock,
    private readonly end: (id: string) => Promise<unknown>,
  ) {}

  leave(id: string, revision: string): void {
    const cancel = this.clock.after(AWAY_MS, () => void this.endAway(id));
    this.files.set(id, { revision, cancel });
  }

  /** Must be called before a file of this id counts. Ends the member that was away under it, unless it is the same. */
  async makeRoom(id: string, revision: string): Promise<void> {
    const file = this.files.get(id);
    if (file && (file.gone || file.revision !== revision)) await this.endAway(id);
  }

  /** Must be called when the file of this id is there. */
  async comeBack(id: string, revision: string): Promise<void> {
    await this.makeRoom(id, revision);
    this.files.get(id)?.cancel();
    this.files.delete(id);
  }

  /** Leaves what is keyed on those that are away to the next start. */
  close(): void {
    for (const { cancel } of this.files.values()) cancel();
    this.files.clear();
  }

  private async endAway(id: string): Promise<void> {
    const file = this.files.get(id);
    if (!file) return;
    file.cancel();
    file.gone ??= this.end(id);
    await file.gone;
    if (this.files.get(id) === file) this.files.delete(id);
  }
}
