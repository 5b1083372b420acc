import { timingSafeEqual } from 'node:crypto';
import type { TokenRotated } from '../../contract/team.js';
import type { Bus } from '../../events/bus.js';
import { type Clock, isoTime } from '../../lib/clock.js';
import { sha256 } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import { newMemberToken } from '../../lib/ids.js';
import { requireMemberId } from '../../lib/member-id.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import type { TokenStore } from './token-store.js';

/** The standard revision from which members can be exposed. */
const EXPOSURE_REVISION = 30;

export interface ExposurePorts {
  /** The project's standard revision. */
  standardVersion(): number;
  /** Files under `.mesh/credentials` or `.mesh/state` that git tracks, relative to the project. */
  trackedSecrets(): Promise<string[]>;
  /** Where the operator is told of what went wrong with nobody asking. */
  warn(message: string): void;
  /** Why a member must not be opened now, as far as is known; undefined when it may. */
  findHold?(member: MemberVersion): string | undefined;
  /** Looks for what `findHold` has to know of a member: to be awaited before its door is opened. */
  lookForHold?(id: string): Promise<unknown>;
}

type RevokedListener = (id: string) => void;

/**
 * The door for other programs: which members it opens to, and the token that opens each. A member has a token while it is external and
 * loses it when it becomes internal or is removed; both are on disk before they are answered. Below standard revision 30 the door is
 * shut: nothing is minted and nothing verifies. A member that must not be opened yet is refused, and one whose file says so all the same is held: it has no
 * token and is external to nobody. One that has a token is open, whatever comes later. Spec: Team member exposure; Authentication, Member bearer token.
 */
export class Exposure {
  private readonly revokedListeners = new Set<RevokedListener>();
  private readonly nobody = sha256(newMemberToken());

  constructor(
    private readonly team: Team,
    private readonly tokens: TokenStore,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly ports: ExposurePorts,
  ) {
    team.onOpening(async (member) => {
      await this.ports.lookForHold?.(member.id);
      const hold = this.holdOf(member);
      if (hold !== undefined) throw new MeshError('tests_failed', hold);
    });
    team.onExposureChanged(async (id, exposure) => {
      if (exposure === 'internal') return this.revoke([id]);
      await this.ports.lookForHold?.(id);
      const member = team.serving(id);
      if (member?.exposure !== 'external' || !this.isHeld(member)) await this.mint([id]);
    });
    team.onRemoved((id) => this.revoke([id]));
  }

  /**
   * Loads the tokens, gives one to each external member that has none, and drops those of members that are gone or internal. To be called
   * when the team has started, and again when the standard revision has risen. Throws `store_readonly` when the token file is damaged; a
   * refusal to mint is only told, so that the daemon starts.
   */
  async start(): Promise<void> {
    await this.tokens.load();
    if (!this.isOn) return;
    const members = new Map(this.team.members().map((member) => [member.id, member]));
    // A broken file of which no good version is known yet says nothing of its exposure: its token waits for it.
    const stale = this.tokens.ids().filter((id) => {
      const member = members.get(id);
      return !member || (member.serving && member.exposure === 'internal');
    });
    await this.revoke(stale);
    await this.mint(this.externalMembers().map(({ id }) => id)).catch((error: unknown) => {
      if (!(error instanceof MeshError)) throw error;
      this.ports.warn(error.message);
    });
  }

  /** The members that the door opens to, in roster order. */
  externalMembers(): MemberVersion[] {
    return this.isOn
      ? this.team.servingMembers().filter((member) => member.exposure === 'external' && !this.isHeld(member))
      : [];
  }

  /** The external member `id` in the version that serves, or undefined: unknown, internal and never readable look alike. */
  external(id: string): MemberVersion | undefined {
    const member = this.isOn ? this.team.serving(id) : undefined;
    return member?.exposure === 'external' && !this.isHeld(member) ? member : undefined;
  }

  /** Whether `bearer` opens member `id`. Takes the same time for a wrong token, an internal member and an unknown one. */
  verify(id: string, bearer: string): boolean {
    const isRight = timingSafeEqual(sha256(bearer), this.tokens.digestOf(id) ?? this.nobody);
    const isOpen = this.external(id) !== undefined;
    return isRight && isOpen && this.tokens.tokenOf(id) !== undefined;
  }

  /** The external member that `bearer` opens. */
  memberOf(bearer: string): string | undefined {
    const digest = sha256(bearer);
    let found: string | undefined;
    for (const { id } of this.externalMembers()) {
      if (timingSafeEqual(digest, this.tokens.digestOf(id) ?? this.nobody) && this.tokens.tokenOf(id) !== undefined)
        found = id;
    }
    return found;
  }

  /** The token of an external member, for the operator. */
  tokenOf(id: string): string | undefined {
    return this.external(id) ? this.tokens.tokenOf(id) : undefined;
  }

  /** The last four characters of the token of an external member. */
  last4(id: string): string | undefined {
    return this.tokenOf(id)?.slice(-4);
  }

  /**
   * Replaces the token of an external member; the old one is dead and the sockets on it are closed when this resolves. Throws `not_found`,
   * `not_exposed` for an internal one, `forbidden` when git tracks secrets or exposure is off. Publishes `team.token_rotated`.
   */
  async rotate(id: string): Promise<TokenRotated> {
    requireMemberId(id);
    this.requireOn();
    await this.team.get(id);
    const isExternal = () => this.external(id) !== undefined;
    if (isExternal()) await this.requireUntracked();
    const token = newMemberToken();
    if (!isExternal() || !(await this.tokens.replace(id, token, isExternal))) {
      throw new MeshError('not_exposed', `\`${id}\` is internal and has no token: set its exposure to external first.`);
    }
    for (const listener of this.revokedListeners) listener(id);
    this.bus.publish('team.token_rotated', { id });
    return { id, token, rotated_at: isoTime(this.clock.now()) };
  }

  /** `listener` hears of each member whose token has just died; returns how to stop. */
  onRevoked(listener: RevokedListener): () => void {
    this.revokedListeners.add(listener);
    return () => this.revokedListeners.delete(listener);
  }

  /** Whether the file of `member` opens it and its door is kept shut all the same. */
  isHeld(member: MemberVersion): boolean {
    return member.exposure === 'external' && this.holdOf(member) !== undefined;
  }

  /** Opens an external member without a token when nothing holds it any more; otherwise nothing happens. Publishes `team.exposed` then. */
  async openHeld(id: string): Promise<void> {
    if (this.tokens.tokenOf(id) === undefined && this.external(id) !== undefined) await this.team.opened(id);
  }

  private holdOf(member: MemberVersion): string | undefined {
    return this.tokens.tokenOf(member.id) === undefined ? this.ports.findHold?.(member) : undefined;
  }

  /** Gives a token to those of `ids` that have none. */
  private async mint(ids: string[]): Promise<void> {
    if (ids.every((id) => this.tokens.tokenOf(id) !== undefined)) return;
    this.requireOn();
    await this.requireUntracked();
    await this.tokens.add(ids, newMemberToken);
  }

  private async revoke(ids: string[]): Promise<void> {
    const revoked = await this.tokens.remove(ids);
    for (const id of revoked) for (const listener of this.revokedListeners) listener(id);
  }

  private get isOn(): boolean {
    return this.ports.standardVersion() >= EXPOSURE_REVISION;
  }

  private requireOn(): void {
    if (this.isOn) return;
    throw new MeshError(
      'forbidden',
      `Exposing members needs standard revision ${EXPOSURE_REVISION}; this project is at ${this.ports.standardVersion()}. Run \`meshd upgrade\`.`,
    );
  }

  private async requireUntracked(): Promise<void> {
    const tracked = await this.ports.trackedSecrets();
    if (tracked.length === 0) return;
    throw new MeshError(
      'forbidden',
      `Git tracks ${tracked[0]}${tracked.length > 1 ? ` and ${tracked.length - 1} more` : ''}, so no new secret is written. ` +
        'Run `git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state`, commit, and try again.',
      { details: { tracked: tracked.slice(0, 20) } },
    );
  }
}
