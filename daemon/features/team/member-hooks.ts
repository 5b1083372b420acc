import type { MemberVersion } from './member-file.js';

export type RemovedHook = (id: string) => Promise<void>;
export type BecameSingletonHook = (id: string) => Promise<void>;
export type OpeningHook = (next: MemberVersion) => Promise<void>;
export type ChangedHook = (id: string) => Promise<void>;
export type ExposureHook = (id: string, exposure: 'internal' | 'external') => Promise<void>;

/** Who must act when a member goes, opens or shuts, before anyone is told. */
export class MemberHooks {
  private readonly removed: RemovedHook[] = [];
  private readonly becameSingleton: BecameSingletonHook[] = [];
  private readonly exposureChanged: ExposureHook[] = [];
  private readonly opening: OpeningHook[] = [];
  private readonly changed: ChangedHook[] = [];

  onRemoved(hook: RemovedHook): void {
    this.removed.push(hook);
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

  onChanged(hook: ChangedHook): void {
    this.changed.push(hook);
  }

  /** Lets a member that is about to become external be refused, by throwing, while nothing is written yet. */
  async beforeOpening(id: string, next: MemberVersion, before: MemberVersion | undefined): Promise<void> {
    if (next.exposure !== 'external' || before?.exposure === 'external') return;
    await this.askedToOpen(next);
    for (const hook of this.exposureChanged) await hook(id, 'external');
  }

  /** Lets the opening of a member be refused, by throwing. */
  async askedToOpen(member: MemberVersion): Promise<void> {
    for (const hook of this.opening) await hook(member);
  }

  /** Runs every hook for another version of a file, whatever one of them throws; gives the first failure. */
  afterChange(id: string): Promise<unknown> {
    return firstFailure(this.changed.map((hook) => () => hook(id)));
  }

  /** Runs every removal hook, whatever one of them throws; gives the first failure. */
  afterRemoval(id: string): Promise<unknown> {
    return firstFailure(this.removed.map((hook) => () => hook(id)));
  }

  /** Runs every hook for a new singleton, whatever one of them throws; gives the first failure. */
  afterBecomingSingleton(id: string): Promise<unknown> {
    return firstFailure(this.becameSingleton.map((hook) => () => hook(id)));
  }

  /** Runs every exposure hook, whatever one of them throws; gives the first failure. */
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
