import { timingSafeEqual } from 'node:crypto';
import type { MemberDetail, TokenRotated } from '../../contract/team.js';
import type { Bus } from '../../events/bus.js';
import { requireMemberId } from '../../lib/agents/member-id.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import { newMemberToken } from '../../lib/ids.js';
import { type Clock, isoTime } from '../../lib/time/clock.js';
import { UNTRACK_COMMAND } from '../../private/tracked-path.js';
import type { MemberVersion } from '../team/member-file.js';
import type { MemberHold } from '../team/member-view.js';
import type { Team } from '../team/team.js';
import type { Agreements } from './agreements.js';
import { describeFormer, type FormerTokens, type TokenEnding } from './former-tokens.js';
import type { TokenStore } from './token-store.js';

/** The standard revision from which members can be exposed. */
const EXPOSURE_REVISION = 30;

interface ExposurePorts {
  /** The project's standard revision. */
  standardVersion(): number;
  /** Returns files under `.mesh/credentials` or `.mesh/state` that Git tracks, relative to the project. */
  trackedSecrets(): Promise<string[]>;
  /** Tokens that ended. */
  formerTokens: FormerTokens;
  /** Reports a failure that has no caller to the operator. */
  warn(message: string): void;
}

/** The tests that keep a member internal until it passes them. */
interface ExposureTests {
  /** Returns why a member must stay internal, from the cached tests; undefined when it may be exposed. */
  findHold(member: MemberVersion): string | undefined;
  /**
   * Reads a member's tests for `findHold`. Must be awaited before the member is exposed. `isAsked`: by a request of the
   * operator, who then does without tests that are gone.
   */
  look(id: string, isAsked: boolean): Promise<unknown>;
}

type RevokedListener = (id: string) => void;

/**
 * Exposure of members to other programs: which members are exposed, and the token of each. A member has a token while
 * it is external and loses it when it becomes internal or is removed; both are on disk before the response. A file that
 * leaves the disk without a request closes its member at once, and ends the token and the approval unless the same file
 * comes back within 15 minutes. Below standard revision 30 no token is created and none is accepted. A request to
 * expose a member that must stay internal is refused. If its file says `external` all the same, the member is held: it
 * has no token and is not exposed. A member with a token is exposed, whatever happens later. Spec: Team member
 * exposure; Authentication, Member bearer token.
 *
 * A file alone does not expose a member, since a clone or a pull may have added it. The member is held until the
 * operator has approved it once, by a request to this daemon to expose it. The approval is bound to the id and lasts as
 * long as the member is exposed. It survives every change of the file that leaves it external, and ends when the member
 * is removed or becomes internal by any means, because a later file with the same id may be another member. Shipped
 * members that this program wrote itself count as approved, and so does every member with a token.
 */
export class Exposure {
  private readonly revokedListeners = new Set<RevokedListener>();
  /** The digest of a token that nobody holds. */
  private readonly nobody = sha256(newMemberToken());
  private tests: ExposureTests | undefined;

  constructor(
    private readonly team: Team,
    private readonly tokens: TokenStore,
    private readonly agreements: Agreements,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly ports: ExposurePorts,
  ) {
    team.onOpening((member) => this.askedToOpen(member));
    team.onExposing(async (id) => {
      const isNew = this.tokens.findToken(id) === undefined;
      await this.mint([id]);
      return async () => (isNew ? this.revoke(id, 'internal') : undefined);
    });
    team.onExposureChanged(async (id, exposure) => {
      if (exposure === 'internal') return this.revoke(id, 'internal');
      await this.tests?.look(id, false);
      const member = team.serving(id);
      const hold = member && this.findHold(member);
      if (!hold) await this.mint([id]);
      else if (hold.by === 'agreement') this.ports.warn(hold.reason);
    });
    // The file may come back. Until then no token of it counts, and nothing that was opened with one goes on.
    team.onRemoved(async (id, origin) => {
      if (origin === 'disk' && this.tokens.findDigest(id)) this.tellRevoked(id);
    });
    team.onGone((id) => this.revoke(id, 'removed'));
    team.addFacts({ findToken: (id) => this.findToken(id), findHold: (member) => this.findHold(member) });
  }

  /** Keeps members internal that do not pass their tests. Must be called before `start`. */
  holdForTests(tests: ExposureTests): void {
    this.tests = tests;
  }

  /**
   * Loads the tokens, creates one for each external member that has none, and deletes those of removed or internal
   * members. Must be called when the team has started, and again after the standard revision was raised. Throws
   * `store_readonly` when the token file is damaged. A refusal to create tokens is only a warning, so that the daemon
   * starts.
   */
  async start(): Promise<void> {
    await this.tokens.load();
    await this.agreements.load();
    await this.ports.formerTokens.load();
    if (!this.isOn) return;
    const members = new Map(this.team.members().map((member) => [member.id, member]));
    // A broken file without a valid version does not state its exposure. Its token is kept.
    const stale = [...new Set([...this.tokens.ids(), ...this.agreements.ids()])].filter((id) => {
      const member = members.get(id);
      return !member || (member.serving && member.exposure === 'internal');
    });
    for (const id of stale) await this.revoke(id, members.has(id) ? 'internal' : 'removed');
    try {
      await this.agreements.decide([...this.tokens.ids(), ...this.shippedMembers()], 'agreed', () => true);
      await this.mint(this.externalMembers().map(({ id }) => id));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      this.ports.warn(error.message);
    }
    const waiting = this.waitingMembers();
    if (waiting.length > 0) this.ports.warn(waitingSentence(waiting));
  }

  /** Returns the members that stay internal until the operator approves, in roster order. */
  waitingMembers(): string[] {
    return this.team
      .servingMembers()
      .filter((member) => this.findHold(member)?.by === 'agreement')
      .map(({ id }) => id);
  }

  /**
   * Exposes a member with the operator's approval, and edits its file where needed. Throws `not_found`, `tests_failed`
   * when its tests block exposure (the approval is recorded if the file already says `external`), and `forbidden` when
   * Git tracks secrets or exposure is disabled. Publishes `team.exposed`.
   */
  async expose(id: string): Promise<MemberDetail> {
    requireMemberId(id);
    this.requireOn();
    return this.team.patch(id, { exposure: 'external' });
  }

  /**
   * Keeps a member that needs approval internal: no further approval is requested, its file is unchanged, and it can
   * still be exposed. Throws `not_found`, and `not_waiting` for an exposed member. Publishes `team.updated`.
   */
  async keepInternal(id: string): Promise<MemberDetail> {
    requireMemberId(id);
    await this.team.get(id);
    if (this.external(id)) {
      throw new MeshError('not_waiting', `\`${id}\` is exposed. Set its exposure to internal first.`);
    }
    const isWaiting = () => this.hold(id)?.by === 'agreement';
    if (isWaiting()) {
      await this.agreements.decide([id], 'kept_internal', isWaiting);
      this.bus.publish('team.updated', { id });
    }
    return this.team.get(id);
  }

  /** Returns the exposed members, in roster order. */
  externalMembers(): MemberVersion[] {
    return this.isOn
      ? this.team.servingMembers().filter((member) => member.exposure === 'external' && !this.isHeld(member))
      : [];
  }

  /**
   * Returns the serving version of an exposed member. Undefined for unknown, internal and never valid members alike.
   */
  external(id: string): MemberVersion | undefined {
    const member = this.isOn ? this.team.serving(id) : undefined;
    return member?.exposure === 'external' && !this.isHeld(member) ? member : undefined;
  }

  /** Whether `bearer` is the token of the exposed member `id`. Takes the same time for every wrong token or member. */
  verify(id: string, bearer: string): boolean {
    const isRight = timingSafeEqual(sha256(bearer), this.tokens.findDigest(id) ?? this.nobody);
    const isOpen = this.external(id) !== undefined;
    return isRight && isOpen;
  }

  /** Returns the exposed member whose token is `bearer`. */
  memberOf(bearer: string): string | undefined {
    const digest = sha256(bearer);
    let found: string | undefined;
    for (const { id } of this.externalMembers()) {
      if (timingSafeEqual(digest, this.tokens.findDigest(id) ?? this.nobody)) found = id;
    }
    return found;
  }

  /** Returns the error for a token that was valid once and ended: what happened, and what its holder can do. */
  explainFormer(bearer: string): MeshError | undefined {
    const former = this.ports.formerTokens.find(bearer);
    if (former === undefined) return undefined;
    const { member, ending, at } = former;
    return new MeshError('unauthorized', describeFormer(former), {
      details: { member, token_ended: ending, ended_at: at },
    });
  }

  /** Returns the token of an exposed member, for the operator. */
  findToken(id: string): string | undefined {
    return this.external(id) ? this.tokens.findToken(id) : undefined;
  }

  /** Returns the last four characters of an exposed member's token. */
  last4(id: string): string | undefined {
    return this.findToken(id)?.slice(-4);
  }

  /**
   * Replaces the token of an exposed member. When this resolves, the old token is invalid and the sockets that use it
   * are closed. Throws `not_found`, `not_exposed` for an internal member, and `forbidden` when Git tracks secrets or
   * exposure is disabled. Publishes `team.token_rotated`.
   */
  async rotate(id: string): Promise<TokenRotated> {
    requireMemberId(id);
    this.requireOn();
    await this.team.get(id);
    const isExternal = () => this.external(id) !== undefined;
    if (isExternal()) await this.requireUntracked();
    const token = newMemberToken();
    const digest = this.tokens.findDigest(id);
    if (!(await this.tokens.replace(id, token, isExternal))) {
      throw new MeshError('not_exposed', `\`${id}\` is internal and has no token: set its exposure to external first.`);
    }
    this.tellRevoked(id);
    if (digest) await this.remember({ digest, member: id }, 'rotated');
    this.bus.publish('team.token_rotated', { id });
    return { id, token, rotated_at: isoTime(this.clock.now()) };
  }

  /** Notifies `listener` of each member whose token was revoked. Returns a function that unsubscribes it. */
  onRevoked(listener: RevokedListener): () => void {
    this.revokedListeners.add(listener);
    return () => this.revokedListeners.delete(listener);
  }

  /** Whether the file of `member` says `external`, but the member is not exposed. */
  isHeld(member: MemberVersion): boolean {
    return this.findHold(member) !== undefined;
  }

  /** The only place that decides why a member whose file says `external` is not exposed. Undefined for any other. */
  findHold(member: MemberVersion): MemberHold | undefined {
    const { id, exposure } = member;
    if (exposure !== 'external' || this.tokens.findToken(id) !== undefined) return undefined;
    const decision = this.agreements.find(id);
    if (this.isOn && decision === undefined) return { by: 'agreement', reason: waitingSentence([id]) };
    if (this.isOn && decision === 'kept_internal') {
      const way = `\`meshd team expose ${id}\` exposes it.`;
      return { by: 'kept_internal', reason: `The file of \`${id}\` says external, and you keep it internal. ${way}` };
    }
    const reason = this.tests?.findHold(member);
    return reason === undefined ? undefined : { by: 'tests', reason };
  }

  /** Exposes an external member that has no token and is not held, and publishes `team.exposed`; else does nothing. */
  async openHeld(id: string): Promise<void> {
    if (this.tokens.findToken(id) === undefined && this.external(id) !== undefined) await this.team.opened(id);
  }

  private hold(id: string): MemberHold | undefined {
    const member = this.team.serving(id);
    return member && this.findHold(member);
  }

  /**
   * Handles the operator's request to expose `member`. If its file already says `external`, this records the approval.
   * Otherwise the creation of the token does.
   */
  private async askedToOpen(member: MemberVersion): Promise<void> {
    const { id } = member;
    await this.tests?.look(id, true);
    const isInFile = () => this.team.serving(id)?.exposure === 'external';
    const hadHold = this.hold(id)?.by;
    if (this.isOn) await this.agreements.decide([id], 'agreed', isInFile);
    const tests = this.tokens.findToken(id) === undefined ? this.tests?.findHold(member) : undefined;
    if (tests !== undefined) {
      if (hadHold !== undefined && hadHold !== 'tests') this.bus.publish('team.updated', { id });
      throw new MeshError('tests_failed', tests);
    }
    await this.openHeld(id);
  }

  /** Returns the unmodified shipped members, which stay exposed, if seeded by this process or on the first use. */
  private shippedMembers(): string[] {
    if (!this.team.isSeeded && !this.agreements.isFirstUse) return [];
    const isShipped = (member: MemberVersion) => member.exposure === 'external' && this.team.isShipped(member);
    return this.team
      .servingMembers()
      .filter(isShipped)
      .map(({ id }) => id);
  }

  /** Creates missing tokens, and records the approval, so that a lost token file needs no new approval. */
  private async mint(ids: string[]): Promise<void> {
    if (ids.some((id) => this.tokens.findToken(id) === undefined)) {
      this.requireOn();
      await this.requireUntracked();
      await this.tokens.add(ids, newMemberToken);
    }
    const isExposed = (id: string) => this.external(id) !== undefined;
    await this.agreements.decide(ids, 'agreed', isExposed);
  }

  private async revoke(id: string, ending: TokenEnding): Promise<void> {
    const digest = await this.tokens.remove(id);
    if (digest) {
      this.tellRevoked(id);
      await this.remember({ digest, member: id }, ending);
    }
    await this.agreements.forget(id);
  }

  private tellRevoked(id: string): void {
    for (const listener of this.revokedListeners) listener(id);
  }

  /** A failure leaves callers without an explanation, and keeps no token from ending. */
  private async remember(ended: Parameters<FormerTokens['add']>[0], ending: TokenEnding): Promise<void> {
    try {
      await this.ports.formerTokens.add(ended, ending, this.clock.now());
    } catch (error) {
      this.ports.warn(`Programs that hold an ended token are not told why: ${getErrorMessage(error)}`);
    }
  }

  private get isOn(): boolean {
    return this.ports.standardVersion() >= EXPOSURE_REVISION;
  }

  private requireOn(): void {
    if (this.isOn) return;
    throw new MeshError(
      'forbidden',
      `Exposing members needs standard revision ${EXPOSURE_REVISION}; this project is at ` +
        `${this.ports.standardVersion()}. Run \`meshd upgrade\`.`,
    );
  }

  private async requireUntracked(): Promise<void> {
    const tracked = await this.ports.trackedSecrets();
    if (tracked.length === 0) return;
    throw new MeshError(
      'forbidden',
      `Git tracks ${tracked[0]}${tracked.length > 1 ? ` and ${tracked.length - 1} more` : ''}, so no new ` +
        `secret is written. Run \`${UNTRACK_COMMAND}\`, commit, and try again.`,
      { details: { tracked: tracked.slice(0, 20) } },
    );
  }
}

/** Formats the message about members that need approval. */
function waitingSentence(ids: readonly string[]): string {
  const [what, pronoun] =
    ids.length === 1 ? [`\`${ids[0]}\``, 'It stays'] : [`${ids.length} members (${ids.join(', ')})`, 'They stay'];
  const each = ids.length === 1 ? ids[0] : '<member>';
  return (
    `This repository exposes ${what} to other programs. ` +
    `${pronoun} internal until you approve: \`meshd team expose ${each}\`.`
  );
}
