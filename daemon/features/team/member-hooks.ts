import type { MemberVersion } from './member-file.js';
import type { IfNotWritten, MemberChange, Undo } from './team-store.js';

/** A file that is gone from the disk may come back, as one that git stashes or leaves out of another branch. */
export type RemovedHook = (id: string, origin: MemberChange['origin']) => Promise<void>;
export type GoneHook = (id: string) => Promise<void>;
export type BecameSingletonHook = (id: string) => Promise<void>;
export type OpeningHook = (next: MemberVersion) => Promise<void>;
export type ExposingHook = (id: string) => Promise<Undo>;
export type ChangedHook = (id: string) => Promise<void>;
export type ExposureHook = (id: string, exposure: 'internal' | 'external') => Promise<void>;

/** Hooks that run before a member's removal, change or exposure is published. */
export class MemberHooks {
  private readonly removed: RemovedHook[] = [];
  private readonly gone: GoneHook[] = [];
  private readonly becameSingleton: BecameSingletonHook[] = [];
  private readonly exposureChanged: ExposureHook[] = [];
  private readonly opening: OpeningHook[] = [];
  private readonly exposing: ExposingHook[] = [];
  private readonly changed: ChangedHook[] = [];

  onRemoved(hook: RemovedHook): void {
    this.removed.push(hook);
  }

  onGone(hook: GoneHook): void {
    this.gone.push(hook);
  }

  onBecameSingleton(hook: BecameSingletonHook): void {
    this.becameSingleton.push(hook);
  }

  onExposureChanged(hook: ExposureHook): void {
    this.exposureChanged.push(hook);
  }

  onOpening(hook: OpeningHook): void {
    this.opening.push(hook);
  }

  onExposing(hook: ExposingHook): void {
    this.exposing.push(hook);
  }

  onChanged(hook: ChangedHook): void {
    this.changed.push(hook);
  }

  /**
   * Runs the hooks before a member becomes external. A hook can refuse by throwing; nothing has been written yet. What
   * they did is taken back when writing fails.
   */
  async beforeOpening(
    id: string,
    { before, next, ifNotWritten }: { before?: MemberVersion; next: MemberVersion; ifNotWritten: IfNotWritten },
  ): Promise<void> {
    if (next.exposure !== 'external' || before?.exposure === 'external') return;
    await this.askedToOpen(next);
    for (const hook of this.exposing) ifNotWritten(await hook(id));
  }

  /** Runs the opening hooks. A hook can refuse the exposure of a member by throwing. */
  async askedToOpen(member: MemberVersion): Promise<void> {
    for (const hook of this.opening) await hook(member);
  }

  /** Runs every hook for a changed file, even after one throws. Returns the first error. */
  afterChange(id: string): Promise<unknown> {
    return firstFailure(this.changed.map((hook) => () => hook(id)));
  }

  /** Runs every removal hook, even after one throws. Returns the first error. */
  afterRemoval(id: string, origin: MemberChange['origin']): Promise<unknown> {
    return firstFailure(this.removed.map((hook) => () => hook(id, origin)));
  }

  /** Runs every hook for a member that does not come back, even after one throws. Returns the first error. */
  afterGone(id: string): Promise<unknown> {
    return firstFailure(this.gone.map((hook) => () => hook(id)));
  }

  /** Runs every hook for a new singleton, even after one throws. Returns the first error. */
  afterBecomingSingleton(id: string): Promise<unknown> {
    return firstFailure(this.becameSingleton.map((hook) => () => hook(id)));
  }

  /** Runs every exposure hook, even after one throws. Returns the first error. */
  afterExposureChange(id: string, exposure: 'internal' | 'external'): Promise<unknown> {
    return firstFailure(this.exposureChanged.map((hook) => () => hook(id, exposure)));
  }
}

async function firstFailure(runs: readonly (() => Promise<void>)[]): Promise<unknown> {
  let failure: unknown;
  for (const run of runs) {
    await run().catch((error: unknown) => {
      failure ??= error;
    });
  }
  return failure;
}
