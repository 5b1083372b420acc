import { Mutex } from 'async-mutex';
import type { Bus } from '../../events/bus.js';
import { getErrorMessage } from '../../lib/errors.js';
import type { FilesWatch } from '../../storage/members/files-watch.js';
import type { Team } from '../team/team.js';
import type { ImportDrift } from './drift.js';
import type { Origin } from './imported-member.js';
import type { MemberFiles } from './member-files.js';

interface DriftWatchParts {
  team: Pick<Team, 'members'>;
  members: MemberFiles;
  drift: ImportDrift;
  bus: Bus;
  /** Opens a watch in the project or the home folder. Returns undefined where the folder does not exist. */
  watchFiles: (scope: Origin['scope'], onChange: (path: string) => Promise<void>) => FilesWatch | undefined;
  warn: (message: string) => void;
}

interface Followed {
  /** Revision of the member file from which `origin` was read. */
  revision: string;
  origin: Origin | undefined;
  /** The state of its source as of the last check. */
  standing: string | undefined;
}

const SCOPES = ['project', 'user'] as const;

/**
 * Watches the sources of imported members and publishes `team.drifted` when one changes. The event carries no details:
 * consumers read the drift themselves. Watches nothing while there is no imported member.
 */
export class DriftWatch {
  private readonly followed = new Map<string, Followed>();
  private readonly files: Partial<Record<Origin['scope'], FilesWatch>> = {};
  private readonly mutex = new Mutex();
  /** The next check of the roster, not yet started. It covers all changes until it starts. */
  private nextLook: Promise<void> | undefined;
  private isClosed = false;
  private stopListening: () => void = () => undefined;

  constructor(private readonly parts: DriftWatchParts) {}

  /** Checks every imported member once without publishing, then watches their sources and the roster. */
  start(): Promise<void> {
    for (const scope of SCOPES) this.files[scope] = this.parts.watchFiles(scope, (path) => this.checkPath(scope, path));
    this.stopListening = this.parts.bus.watch(({ type }) => {
      if (type === 'team.created' || type === 'team.updated' || type === 'team.deleted') void this.checkRoster(true);
    });
    return this.checkRoster(false);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.stopListening();
    await this.mutex.waitForUnlock();
    await Promise.all(SCOPES.map((scope) => this.files[scope]?.close()));
  }

  private checkRoster(isTelling: boolean): Promise<void> {
    this.nextLook ??= this.inTurn(async () => {
      this.nextLook = undefined;
      const members = this.parts.team.members();
      const ids = new Set(members.map(({ id }) => id));
      for (const id of this.followed.keys()) if (!ids.has(id)) this.followed.delete(id);
      const edited = members.filter(({ id, revision }) => this.followed.get(id)?.revision !== revision);
      for (const { id, revision } of edited) {
        const origin = await this.getOrigin(id);
        this.followed.set(id, { revision, origin, standing: this.followed.get(id)?.standing });
      }
      // Starts watching before it compares, so that a change in between is not missed.
      for (const scope of SCOPES)
        await this.files[scope]?.follow([...new Set(this.sourcesIn(scope).map(({ path }) => path))]);
      for (const { id } of edited) await this.compare(id, isTelling);
    });
    return this.nextLook;
  }

  private checkPath(scope: Origin['scope'], path: string): Promise<void> {
    return this.inTurn(async () => {
      for (const [id, { origin }] of this.followed)
        if (origin?.scope === scope && origin.path === path) await this.compare(id, true);
    });
  }

  private async getOrigin(id: string): Promise<Origin | undefined> {
    const origin = (await this.parts.members.find(id))?.content.origin;
    return origin && (await this.parts.drift.mayLookAt(id, origin)) ? origin : undefined;
  }

  /** Compares the member's source with its last known state, and publishes the change. */
  private async compare(id: string, isTelling: boolean): Promise<void> {
    const followed = this.followed.get(id);
    const member = followed?.origin && (await this.parts.members.find(id));
    if (!followed) return;
    const driftState = member && (await this.parts.drift.getDriftState(member));
    const isNews = followed.standing !== driftState;
    followed.standing = driftState;
    if (isNews && isTelling) this.parts.bus.publish('team.drifted', { id });
  }

  private sourcesIn(scope: Origin['scope']): Origin[] {
    return [...this.followed.values()].flatMap(({ origin }) => (origin?.scope === scope ? [origin] : []));
  }

  private inTurn(look: () => Promise<void>): Promise<void> {
    return this.mutex.runExclusive(async () => {
      if (this.isClosed) return;
      await look().catch((error: unknown) =>
        this.parts.warn(`Looking at the sources of imported members: ${getErrorMessage(error)}`),
      );
    });
  }
}
