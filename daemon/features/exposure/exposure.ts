import { timingSafeEqual } from 'node:crypto';
import type { MemberDetail, TokenRotated } from '../../contract/team.js';
import type { Bus } from '../../events/bus.js';
import { type Clock, isoTime } from '../../lib/clock.js';
import { sha256 } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import { newMemberToken } from '../../lib/ids.js';
import { requireMemberId } from '../../lib/member-id.js';
import type { MemberVersion } from '../team/member-file.js';
import type { MemberHold } from '../team/member-view.js';
import type { Team } from '../team/team.js';
import type { Agreements } from './agreements.js';
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
}

/** The tests that keep a member internal until it passes them. */
export interface ExposureTests {
  /** Why they hold a member, as far as is known; undefined when they do not. */
  findHold(member: MemberVersion): string | undefined;
  /** Reads what `findHold` needs to know of a member: to be awaited before it is exposed. */
  look(id: string): Promise<unknown>;
}

type RevokedListener = (id: string) => void;

/**
 * The door for other programs: which members it opens to, and the token that opens each. A member has a token while it is external and
 * loses it when it becomes internal or is removed; both are on disk before they are answered. Below standard revision 30 the door is
 * shut: nothing is minted and nothing verifies. A member that must not be opened yet is refused, and one whose file says so all the same is held: it has no
 * token and is external to nobody. One that has a token is open, whatever comes later. Spec: Team member exposure; Authentication, Member bearer token.
 *
 * A file opens no member by itself, since a clone or a pull may have brought it: the member is held until the operator
 * has agreed once, by asking this daemon to expose it. The agreement is bound to the id and lasts as long as the
 * member is exposed: it survives any change of the file that leaves it external, and ends when the member is removed
 * or internal, whoever did that, because what comes back under the id later may be another member. What this program
 * ships and has written itself is agreed to, and so is every member that has a token.
 */
export class Exposure {
  private readonly revokedListeners = new Set<RevokedListener>();
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
    team.onExposureChanged(async (id, exposure) => {
      if (exposure === 'internal') return this.revoke([id]);
      await this.tests?.look(id);
      const member = team.serving(id);
      const hold = member && this.findHold(member);
      if (!hold) await this.mint([id]);
      else if (hold.by === 'agreement') this.ports.warn(hold.reason);
    });
    team.onRemoved((id) => this.revoke([id]));
    team.learn({ tokenOf: (id) => this.tokenOf(id), findHold: (member) => this.findHold(member) });
  }

  /** Keeps members internal that do not pass their tests. To be called before `start`. */
  holdForTests(tests: ExposureTests): void {
    this.tests = tests;
  }

  /**
   * Loads the tokens, gives one to each external member that has none, and drops those of members that are gone or internal. To be called
   * when the team has started, and again when the standard revision has risen. Throws `store_readonly` when the token file is damaged; a
   * refusal to mint is only told, so that the daemon starts.
   */
  async start(): Promise<void> {
    await this.tokens.load();
    await this.agreements.load();
    if (!this.isOn) return;
    const members = new Map(this.team.members().map((member) => [member.id, member]));
    // A broken file of which no good version is known yet says nothing of its exposure: its token waits for it.
    const stale = [...new Set([...this.tokens.ids(), ...this.agreements.ids()])].filter((id) => {
      const member = members.get(id);
      return !member || (member.serving && member.exposure === 'internal');
    });
    await this.revoke(stale);
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

  /** The members that stay internal until the operator agrees, in roster order. */
  waitingMembers(): string[] {
    return this.team
      .servingMembers()
      .filter((member) => this.findHold(member)?.by === 'agreement')
      .map(({ id }) => id);
  }

  /**
   * The operator agrees to expose a member: its file is changed where it does not say so yet. Throws `not_found`,
   * `tests_failed` when its tests hold its door (the agreement stands), `forbidden` when git tracks secrets or
   * exposure is off. Publishes `team.exposed`.
   */
  async expose(id: string): Promise<MemberDetail> {
    requireMemberId(id);
    this.requireOn();
    return this.team.patch(id, { exposure: 'external' });
  }

  /**
   * The operator keeps a member internal that waits for agreement: nobody is asked about it again, its file stays as
   * it is, and it can still be exposed. Throws `not_found`, and `not_waiting` for one that is exposed. Publishes
   * `team.updated`.
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
    return this.findHold(member) !== undefined;
  }

  /** Why a member whose file says `external` is not exposed; undefined for any other. The one place that decides. */
  findHold(member: MemberVersion): MemberHold | undefined {
    const { id, exposure } = member;
    if (exposure !== 'external' || this.tokens.tokenOf(id) !== undefined) return undefined;
    const decision = this.agreements.find(id);
    if (this.isOn && decision === undefined) return { by: 'agreement', reason: waitingSentence([id]) };
    if (this.isOn && decision === 'kept_internal') {
      const way = `\`meshd team expose ${id}\` exposes it.`;
      return { by: 'kept_internal', reason: `The file of \`${id}\` says external, and you keep it internal. ${way}` };
    }
    const reason = this.tests?.findHold(member);
    return reason === undefined ? undefined : { by: 'tests', reason };
  }

  /** Opens an external member without a token when nothing holds it any more; otherwise nothing happens. Publishes `team.exposed` then. */
  async openHeld(id: string): Promise<void> {
    if (this.tokens.tokenOf(id) === undefined && this.external(id) !== undefined) await this.team.opened(id);
  }

  private hold(id: string): MemberHold | undefined {
    const member = this.team.serving(id);
    return member && this.findHold(member);
  }

  /**
   * The operator wants `member` exposed. Where its file says so already, this is the agreement; where it does not, the
   * token that follows is.
   */
  private async askedToOpen(member: MemberVersion): Promise<void> {
    const { id } = member;
    await this.tests?.look(id);
    const isInFile = () => this.team.serving(id)?.exposure === 'external';
    const hadHold = this.hold(id)?.by;
    if (isInFile() && this.isOn) await this.agreements.decide([id], 'agreed', isInFile);
    const tests = this.tokens.tokenOf(id) === undefined ? this.tests?.findHold(member) : undefined;
    if (tests !== undefined) {
      if (hadHold !== undefined && hadHold !== 'tests') this.bus.publish('team.updated', { id });
      throw new MeshError('tests_failed', tests);
    }
    await this.openHeld(id);
  }

  /**
   * Members as this program ships them, when it has written them or meets this project for the first time: they keep
   * their exposure.
   */
  private shippedMembers(): string[] {
    if (!this.team.isSeeded && !this.agreements.isFirstUse) return [];
    const isShipped = (member: MemberVersion) => member.exposure === 'external' && this.team.isShipped(member);
    return this.team
      .servingMembers()
      .filter(isShipped)
      .map(({ id }) => id);
  }

  /**
   * Gives a token to those of `ids` that have none, and records that they are agreed to: a token file that is lost is
   * no new question.
   */
  private async mint(ids: string[]): Promise<void> {
    if (ids.some((id) => this.tokens.tokenOf(id) === undefined)) {
      this.requireOn();
      await this.requireUntracked();
      await this.tokens.add(ids, newMemberToken);
    }
    const isExposed = (id: string) => this.external(id) !== undefined;
    if (this.isOn) await this.agreements.decide(ids, 'agreed', isExposed);
  }

  private async revoke(ids: string[]): Promise<void> {
    const revoked = await this.tokens.remove(ids);
    for (const id of revoked) for (const listener of this.revokedListeners) listener(id);
    await this.agreements.forget(ids);
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

/** What the operator reads of members that wait for agreement. */
function waitingSentence(ids: readonly string[]): string {
  const [what, pronoun] =
    ids.length === 1 ? [`\`${ids[0]}\``, 'It stays'] : [`${ids.length} members (${ids.join(', ')})`, 'They stay'];
  const each = ids.length === 1 ? ids[0] : '<member>';
  return (
    `This repository exposes ${what} to other programs. ` +
    `${pronoun} internal until you approve: \`meshd team expose ${each}\`.`
  );
}
