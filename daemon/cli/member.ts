import type { MemberDetail } from '../contract/team.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Where the daemon keeps a member. */
export const memberPath = (id: string) => `/team/${encodeURIComponent(id)}`;

/** The member's token, of what the daemon told its operator. Throws `not_exposed` for an internal member. */
export function tokenOf(member: MemberDetail): string {
  if (member.token !== undefined) return member.token;
  throw new CommandFailure(
    EXIT.refused,
    `${member.id} is internal and has no token: \`meshd team expose ${member.id}\` gives it one.`,
    'not_exposed',
  );
}

/** The member as a program may read it from a command that was not about its token. */
export function withoutToken({ token: _, ...member }: MemberDetail): Omit<MemberDetail, 'token'> {
  return member;
}

/**
 * Answers with what a change left behind: the member for a program, one sentence for a person. Throws `broken_member` when the file cannot be
 * read, with where and why.
 */
export function reportMember(
  terminal: Terminal,
  member: MemberDetail,
  json: boolean | undefined,
  sentence: string,
): void {
  if (json) terminal.object(withoutToken(member));
  else terminal.answer(sentence);
  if (member.state !== 'broken') return;
  const { line, column, reason } = member.problem ?? { line: 1, column: 1, reason: 'it cannot be read' };
  throw new CommandFailure(EXIT.failed, `.mesh/team/${member.id}.md:${line}:${column}: ${reason}`, 'broken_member');
}
