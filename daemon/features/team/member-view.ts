import type { ExposureHold, Member, MemberDetail } from '../../contract/team.js';
import { declarationWarnings } from './member-declarations.js';
import { type MemberVersion, withDefaults } from './member-file.js';
import type { StoredMember } from './team-store.js';

/** The reason why a member whose file says `external` is not exposed. */
export interface MemberHold {
  by: ExposureHold;
  /** In words for the operator. */
  reason: string;
}

/** Facts about a member that other features supply for display. */
export interface MemberFacts {
  /** Resolves `client`, `model` and `effort` on this machine. */
  resolveClient(member: Pick<Member, 'client' | 'model' | 'effort'>): {
    client_resolved: string;
    model_resolved: string;
  };
  /** The payment networks that are configured. Absent: all are taken to be. */
  networks?: readonly string[];
  /** Counts the member's live conversations. */
  instances(id: string): number;
  /** Returns why a member whose file says `external` is not exposed; undefined for any other. */
  findHold?(member: MemberVersion): MemberHold | undefined;
  /** Returns the member's token, if it has one. */
  findToken(id: string): string | undefined;
}

/** Builds a row of the roster. A broken member shows its last valid version, or the defaults when there is none. */
export function memberRow(stored: StoredMember, facts: MemberFacts): Member {
  const version = getVersion(stored);
  const { body: _body, unknown_keys: _unknown, ...keys } = version;
  const hold = facts.findHold?.(version);
  const warnings = [
    ...declarationWarnings(version, facts.networks),
    ...(hold ? [{ path: 'exposure', reason: hold.reason }] : []),
  ];
  const token = keys.exposure === 'external' ? facts.findToken(stored.id) : undefined;
  const { client_resolved, model_resolved } = facts.resolveClient(keys);
  return {
    ...keys,
    state: stored.problem ? 'broken' : 'ok',
    ...(stored.problem && { problem: stored.problem }),
    ...(warnings.length > 0 && { warnings }),
    ...(hold && { exposure_hold: hold.by }),
    serving: stored.version !== undefined,
    client_resolved,
    model_resolved,
    instances: facts.instances(stored.id),
    ...(token !== undefined && { token_last4: token.slice(-4) }),
    revision: stored.revision,
  };
}

/** Builds the full view of a member, with its body, and its token when it is external. */
export function memberDetail(stored: StoredMember, facts: MemberFacts): MemberDetail {
  const { body, unknown_keys } = getVersion(stored);
  const row = memberRow(stored, facts);
  const token = row.exposure === 'external' ? facts.findToken(stored.id) : undefined;
  return { ...row, body, unknown_keys, ...(token !== undefined && { token }) };
}

function getVersion(stored: StoredMember): MemberVersion {
  const { id, revision } = stored;
  return stored.version ?? { ...withDefaults(id, {}, ''), body: '', unknown_keys: [], revision };
}
