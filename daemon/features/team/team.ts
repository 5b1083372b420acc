import type {
  Draft,
  DraftRequest,
  Member,
  MemberDeleted,
  MemberDetail,
  MemberFile,
  MemberList,
  MemberPatch,
  NewMember,
  RemovedMember,
} from '../../contract/team.js';
import type { Bus } from '../../events/bus.js';
import { freeId, idFromName, isMemberId, requireMemberId } from '../../lib/agents/member-id.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { AwayMembers } from './away-members.js';
import { DEFAULT_ROSTER } from './default-roster.js';
import { type Drafter, templateDraft } from './draft.js';
import { refuseNewMistakes } from './member-declarations.js';
import { badRequest, newMemberText, patchedMemberText, requireGoodText } from './member-edits.js';
import type { MemberVersion } from './member-file.js';
import {
  type BecameSingletonHook,
  type ChangedHook,
  type ExposingHook,
  type ExposureHook,
  type GoneHook,
  MemberHooks,
  type OpeningHook,
  type RemovedHook,
} from './member-hooks.js';
import { type MemberFacts, memberDetail, memberRow } from './member-view.js';
import type { IfNotWritten, MemberChange, StoredMember, TeamStore } from './team-store.js';

/** The standard revision from which a project has a roster. */
const ROSTER_REVISION = 29;

export interface TeamPorts
  extends Pick<MemberFacts, 'resolveClient' | 'instances'>,
    Partial<Pick<MemberFacts, 'findToken' | 'findHold' | 'networks'>> {
  clock: Clock;
  /** The project's standard revision. */
  standardVersion(): number;
  /** Returns the text of a file (path relative to the project) in Git HEAD, or null. */
  committedText(path: string): Promise<string | null>;
  /** The texts of members that were removed. */
  removed: {
    /** Keeps a text. Returns its path, relative to the project. */
    keep(id: string, text: string): Promise<string>;
    /** Returns the members that were removed in the last 30 days, the last first. */
    list(): Promise<RemovedMember[]>;
    /** Returns the text that `id` had when it was last removed. */
    read(id: string): Promise<string | undefined>;
  };
  /** Reports a failure that has no caller to the operator. */
  warn(message: string): void;
  /** Writes drafts with a model. Without one, or when it fails, the template drafter is used. */
  drafter?: Drafter;
}

/**
 * The roster: typed members, one Markdown file each, on which conversations run. The files belong to the operator: they
 * are seeded once, changed only on request, and read again after every change on disk. Every operation throws
 * `forbidden` below standard revision 29, and `bad_request` with `path: 'id'` for an invalid id. Spec: Team member
 * (local daemon).
 */
export class Team {
  private readonly hooks = new MemberHooks();
  private readonly facts: MemberFacts;
  private readonly away: AwayMembers;
  private hasSeeded = false;

  constructor(
    private readonly store: TeamStore,
    private readonly bus: Bus,
    private readonly ports: TeamPorts,
  ) {
    this.facts = { findToken: () => undefined, ...ports };
    this.away = new AwayMembers(ports.clock, async (id) => this.warnOf(id, await this.hooks.afterGone(id)));
    store.onChange((change) => this.settle(change));
  }

  /** Adds facts about members that other features supply, such as their tokens. */
  addFacts(facts: Partial<MemberFacts>): void {
    Object.assign(this.facts, facts);
  }

  /**
   * Seeds the nine default members when the folder is missing, reads the roster and watches it. Throws `forbidden` when
   * `.mesh` or `.mesh/team` is a link or a file.
   */
  async start(): Promise<void> {
    await this.seedIfMissing();
    await this.store.open();
  }

  /**
   * Must be called after the project's standard revision was raised. Repeats the steps of `start` that were skipped.
   */
  async revisionRaised(): Promise<void> {
    await this.seedIfMissing();
    await this.store.refresh();
  }

  close(): Promise<void> {
    this.away.close();
    return this.store.close();
  }

  /** Registers a hook that runs when a member's file is no longer there, before the response and the event. */
  onRemoved(hook: RemovedHook): void {
    this.hooks.onRemoved(hook);
  }

  /**
   * Registers a hook that deletes data keyed on a removed member's id: before the response and the event, or, when the
   * file left the disk without a request, once it has not come back in time or another file of its name has.
   */
  onGone(hook: GoneHook): void {
    this.hooks.onGone(hook);
  }

  /** Registers a hook for a member that becomes or is created as a singleton. Runs before response and event. */
  onBecameSingleton(hook: BecameSingletonHook): void {
    this.hooks.onBecameSingleton(hook);
  }

  /**
   * Registers a hook that runs when a request exposes a member, before the write. It refuses by throwing, which leaves
   * the file unchanged. It returns what takes back what it did, which runs when the file is not written.
   */
  onExposing(hook: ExposingHook): void {
    this.hooks.onExposing(hook);
  }

  /** Registers a hook that runs when a member has become external or internal, before response and event. */
  onExposureChanged(hook: ExposureHook): void {
    this.hooks.onExposureChanged(hook);
  }

  /** Registers a hook that runs when a request asks to expose a member, before the write. It refuses by throwing. */
  onOpening(hook: OpeningHook): void {
    this.hooks.onOpening(hook);
  }

  /** Registers a hook that runs when a member's file has changed, by a request or on disk, before the event. */
  onChanged(hook: ChangedHook): void {
    this.hooks.onChanged(hook);
  }

  /**
   * Must be called when an external member that was held may be exposed. Runs the exposure hooks as if its file had
   * just become external. Publishes `team.exposed`.
   */
  async opened(id: string): Promise<void> {
    const failure = await this.hooks.afterExposureChange(id, 'external');
    if (failure !== undefined) throw failure;
    this.bus.publish('team.exposed', { id });
  }

  /** Whether this process seeded the default members because the folder was missing. */
  get isSeeded(): boolean {
    return this.hasSeeded;
  }

  /** Whether the file of `member` equals, byte for byte, the shipped default for its id. */
  isShipped({ id, revision }: Pick<MemberVersion, 'id' | 'revision'>): boolean {
    const text = DEFAULT_ROSTER.get(id);
    return text !== undefined && sha256Hex(text) === revision;
  }

  get watching(): TeamStore['watching'] {
    return this.store.watching;
  }

  /** Returns the version of a member that runs: its file's, or the last valid one while the file is broken. */
  serving(id: string): MemberVersion | undefined {
    return this.isOn ? this.store.find(id)?.version : undefined;
  }

  /** Returns every member that can run, in roster order. */
  servingMembers(): MemberVersion[] {
    return this.sorted().flatMap(({ version }) => version ?? []);
  }

  /** Counts the members of the roster as of the last scan, and those whose files are broken. */
  count(): { members: number; broken: number } {
    const stored = this.sorted();
    return { members: stored.length, broken: stored.filter(({ problem }) => problem !== undefined).length };
  }

  /** Returns the roster as of the last scan; empty when the roster is disabled. */
  members(): Member[] {
    return this.sorted().map((stored) => memberRow(stored, this.facts));
  }

  /** Returns the roster after a scan of the folder. */
  async list(): Promise<MemberList> {
    this.requireRoster();
    await this.store.refresh();
    const members = this.members();
    const removed = (await this.ports.removed.list()).filter((one) => this.store.find(one.id) === undefined);
    return {
      ...{ members, count: members.length, restorable: this.restorable(), removed },
      has_folder: await this.store.exists(),
    };
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<MemberDetail> {
    await this.look(id);
    return memberDetail(this.stored(id), this.facts);
  }

  /**
   * Writes the file of a new member. Its id is derived from `name` when absent. Publishes `team.created`, and
   * `team.exposed` for an external member. Throws `member_exists` with `suggested`, `bad_request` and
   * `secret_in_member_file`.
   */
  async create(member: NewMember): Promise<MemberDetail> {
    this.requireRoster();
    if (member.id === undefined && member.name === undefined)
      throw badRequest('name', 'Give an `id`, or a `name` to make one from.');
    const id = member.id ?? idFromName(member.name ?? '');
    requireMemberId(id);
    return this.createFile(id, newMemberText(id, member));
  }

  /** Like `create`, with the whole text of the file. `prepare` runs once nothing else refuses the member. */
  async createFile(
    id: string,
    text: string,
    prepare?: (ifNotWritten: IfNotWritten) => Promise<void>,
  ): Promise<MemberDetail> {
    this.requireRoster();
    requireMemberId(id);
    const stored = await this.store.change(id, async (current, ifNotWritten) => {
      if (current) throw this.exists(id);
      const next = requireGoodText(id, text, this.store.findOwnNetwork);
      refuseNewMistakes(undefined, next, this.facts.networks);
      await this.away.makeRoom(id, sha256Hex(text));
      await this.hooks.beforeOpening(id, { next, ifNotWritten });
      await prepare?.(ifNotWritten);
      return text;
    });
    return memberDetail(stored, this.facts);
  }

  /**
   * Changes only the keys in `patch`. `expected` is the revision that the caller read: throws `file_changed` when the
   * file on disk differs. Throws `not_found`, `immutable_field`, `bad_request` and `secret_in_member_file`. Publishes
   * `team.updated`, `team.exposed` and `team.hidden`.
   */
  async patch(id: string, patch: MemberPatch, expected?: string): Promise<MemberDetail> {
    await this.rewrite(id, expected, (text) => patchedMemberText(text, patch));
    // A member whose file is already external may be held. The hooks then refuse, so that it does not appear exposed.
    const version = this.serving(id);
    if (patch.exposure === 'external' && version) await this.hooks.askedToOpen(version);
    return memberDetail(this.stored(id), this.facts);
  }

  /**
   * Replaces the whole text of a member file. Throws `bad_request` with `problem` for a broken text, even if the file
   * is broken already. Otherwise like `patch`.
   */
  async replaceFile(id: string, text: string, expected?: string): Promise<MemberDetail> {
    return memberDetail(await this.rewrite(id, expected, () => text), this.facts);
  }

  /**
   * Removes a member file and the data keyed on the member. Its text is kept first, for `restore`. Throws `not_found`,
   * and `member_protected` for singletons. Publishes `team.deleted`.
   */
  async remove(id: string): Promise<MemberDeleted> {
    await this.look(id);
    let copy: string | undefined;
    await this.store.remove(id, async () => {
      if (this.stored(id).version?.kind === 'singleton' || this.isProtectedDefault(id)) {
        throw new MeshError(
          'member_protected',
          `\`${id}\` is a singleton: the project relies on it, so it cannot be deleted.`,
        );
      }
      const state = await this.store.read(id);
      if (state?.kind === 'text') copy = await this.ports.removed.keep(id, state.text);
    });
    return { ok: true, deleted: id, ...(copy !== undefined && { copy }) };
  }

  /** Returns the file on disk and in Git HEAD. Throws `not_found`, and `bad_request` when it has no readable text. */
  async file(id: string): Promise<MemberFile> {
    await this.look(id);
    this.stored(id);
    const state = await this.store.read(id);
    if (!state) throw notFound(id);
    if (state.kind !== 'text') {
      throw new MeshError('bad_request', `The file has no text that could be shown: ${state.problem.reason}`, {
        details: { path: 'id', problem: state.problem },
      });
    }
    const path = this.store.pathOf(id);
    return {
      id,
      path,
      text: state.text,
      revision: state.revision,
      committed_text: await this.ports.committedText(path),
    };
  }

  /**
   * Drafts a member from free text; writes nothing. Throws `member_exists` with `suggested` when `name` is taken. Uses
   * the template when no model is available or the model fails.
   */
  async draft(request: DraftRequest): Promise<Draft> {
    this.requireRoster();
    const { text, raw_text } = request;
    if (text !== undefined && raw_text !== undefined && text !== raw_text) {
      throw badRequest('raw_text', '`raw_text` is another word for `text`: give one of them.');
    }
    const words = (text ?? raw_text ?? '').trim();
    if (words === '') throw badRequest('text', 'Describe in `text` what the member should do.');
    await this.store.refresh();
    const isTaken = (id: string) => this.isTaken(id);
    if (request.name !== undefined) {
      const id = idFromName(request.name);
      const sameName = request.name.trim().toLowerCase();
      if (isTaken(id) || this.servingMembers().some(({ name }) => name.toLowerCase() === sameName))
        throw this.exists(id);
    }
    const given = { text: words, name: request.name?.trim(), emoji: request.emoji };
    return this.ports.drafter
      ? this.ports.drafter(given, isTaken).catch(() => templateDraft(given, isTaken))
      : templateDraft(given, isTaken);
  }

  /**
   * Restores a member that was removed, with its text byte for byte, and a default member whose file is missing or
   * broken with the shipped one. A member that programs could ask gets a new token. Throws `not_found` when there is
   * nothing to restore, and `member_exists` when the file is valid.
   */
  async restore(id: string): Promise<MemberDetail> {
    await this.look(id);
    const stored = await this.store.replace(id, async (ifNotWritten) => {
      const known = this.store.find(id);
      if (known && !known.problem)
        throw new MeshError('member_exists', `The file of \`${id}\` is there and fine; delete it first to start over.`);
      const text = await this.textBefore(id, known !== undefined);
      const next = requireGoodText(id, text, this.store.findOwnNetwork);
      await this.away.makeRoom(id, sha256Hex(text));
      await this.hooks.beforeOpening(id, { before: known?.version, next, ifNotWritten });
      return text;
    });
    return memberDetail(stored, this.facts);
  }

  /** Returns the text that the member had when it was removed, else the shipped one. */
  private async textBefore(id: string, isThere: boolean): Promise<string> {
    const text = (isThere ? undefined : await this.ports.removed.read(id)) ?? DEFAULT_ROSTER.get(id);
    if (text !== undefined) return text;
    throw new MeshError(
      'not_found',
      `There is nothing to restore: \`${id}\` is not a default member, and no text of it was kept when it was removed.`,
    );
  }

  private async rewrite(
    id: string,
    expected: string | undefined,
    edit: (text: string) => string,
  ): Promise<StoredMember> {
    await this.look(id);
    return this.store.change(id, async (current, ifNotWritten) => {
      if (!current) throw notFound(id);
      if (expected !== undefined && expected !== current.revision) {
        throw new MeshError(
          'file_changed',
          'The file has changed since you read it: read it again and repeat the edit.',
          {
            details: { revision: current.revision },
          },
        );
      }
      if (current.kind !== 'text')
        throw new MeshError('file_changed', `The file cannot be edited: ${current.problem.reason}`);
      const text = edit(current.text);
      if (text === current.text) return text;
      const next = requireGoodText(id, text, this.store.findOwnNetwork);
      const before = this.store.find(id)?.version;
      refuseImmutable(before, next);
      refuseNewMistakes(before, next, this.facts.networks);
      await this.hooks.beforeOpening(id, { before, next, ifNotWritten });
      return text;
    });
  }

  /** Handles every change of the roster, through the daemon or on disk. */
  private async settle({ id, before, after, origin }: MemberChange): Promise<void> {
    const was = before?.version?.exposure ?? 'internal';
    const is = after?.version?.exposure ?? 'internal';
    let failure: unknown;
    if (after && !before) await this.away.comeBack(id, after.revision);
    if (!after) {
      failure = await this.hooks.afterRemoval(id, origin);
      // A file that could not be read is not known again.
      if (origin === 'disk' && before?.revision) this.away.leave(id, before.revision);
      else failure ??= await this.hooks.afterGone(id);
    } else {
      if (was !== is) failure = await this.hooks.afterExposureChange(id, is);
      const isNewSingleton = after.version?.kind === 'singleton' && before?.version?.kind !== 'singleton';
      if (isNewSingleton) failure ??= await this.hooks.afterBecomingSingleton(id);
      failure ??= await this.hooks.afterChange(id);
    }
    if (!before) this.bus.publish('team.created', { id });
    if (!after) this.bus.publish('team.deleted', { id });
    else if (after.problem) this.bus.publish('team.broken', { id, problem: after.problem });
    else if (before) this.bus.publish('team.updated', { id });
    if (after?.version && was !== is) {
      if (is === 'internal') this.bus.publish('team.hidden', { id });
      else if (!this.facts.findHold?.(after.version)) this.bus.publish('team.exposed', { id });
    }
    if (failure === undefined) return;
    if (origin === 'edit') throw failure;
    this.warnOf(id, failure);
  }

  private warnOf(id: string, failure: unknown): void {
    if (failure !== undefined) this.ports.warn(`Member ${id}: ${getErrorMessage(failure)}`);
  }

  private async seedIfMissing(): Promise<void> {
    if ((await this.store.exists()) || !this.isOn) return;
    await this.store.seed(DEFAULT_ROSTER);
    this.hasSeeded = true;
  }

  private get isOn(): boolean {
    return this.ports.standardVersion() >= ROSTER_REVISION;
  }

  private requireRoster(): void {
    if (this.isOn) return;
    throw new MeshError(
      'forbidden',
      `The team roster needs standard revision ${ROSTER_REVISION}; this project is at ` +
        `${this.ports.standardVersion()}. Run \`meshd upgrade\`.`,
    );
  }

  private async look(id: string): Promise<void> {
    this.requireRoster();
    requireMemberId(id);
    await this.store.refresh();
  }

  private stored(id: string): StoredMember {
    const found = this.store.find(id);
    if (!found) throw notFound(id);
    return found;
  }

  private sorted(): StoredMember[] {
    if (!this.isOn) return [];
    const order = (stored: StoredMember) => stored.version?.pinned_order ?? 50;
    return this.store.list().sort((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1));
  }

  private restorable(): string[] {
    return [...DEFAULT_ROSTER.keys()].filter((id) => {
      const stored = this.store.find(id);
      return !stored || stored.problem !== undefined;
    });
  }

  private isTaken(id: string): boolean {
    return !isMemberId(id) || this.store.find(id) !== undefined;
  }

  /** A broken file without a valid version does not state its kind. The kind of the shipped default decides. */
  private isProtectedDefault(id: string): boolean {
    const text = this.store.find(id)?.version === undefined ? DEFAULT_ROSTER.get(id) : undefined;
    return text !== undefined && requireGoodText(id, text).kind === 'singleton';
  }

  private exists(id: string): MeshError {
    const suggested = freeId(id, (candidate) => this.isTaken(candidate) || candidate === id);
    return new MeshError('member_exists', `There is a member \`${id}\` already; \`${suggested}\` is free.`, {
      details: { suggested },
    });
  }
}

function notFound(id: string): MeshError {
  return new MeshError('not_found', `There is no member \`${id}\`.`);
}

function refuseImmutable(before: MemberVersion | undefined, next: MemberVersion): void {
  for (const key of ['kind', 'required'] as const) {
    if (before && before[key] !== next[key]) {
      throw new MeshError('immutable_field', `\`${key}\` cannot be changed here: edit the file by hand.`, {
        details: { path: key },
      });
    }
  }
}
