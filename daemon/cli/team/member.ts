import type { MemberDetail } from '../../contract/team.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

/** The path of a member. */
export const memberPath = (id: string) => `/team/${encodeURIComponent(id)}`;

/**
 * Returns the member's token from the daemon's response to its operator. Throws `not_exposed` for an internal member.
 */
export function requireToken(member: MemberDetail): string {
  if (member.token !== undefined) return member.token;
  throw new CommandError(
    EXIT.refused,
    `${member.id} is internal and has no token: \`meshd team expose ${member.id}\` gives it one.`,
    'not_exposed',
  );
}

/** The member without its token, for the output of commands that are not about the token. */
export function withoutToken({ token: _, ...member }: MemberDetail): Omit<MemberDetail, 'token'> {
  return member;
}

/**
 * Prints the result of a change: the member as JSON, or one sentence. Throws `broken_member` with position and reason
 * when the file cannot be parsed; with `--json` the member is in the object of that failure.
 */
export function reportMember(
  terminal: Terminal,
  member: MemberDetail,
  json: boolean | undefined,
  sentence: string,
): void {
  const isBroken = member.state === 'broken';
  if (!json) terminal.answer(sentence);
  else if (!isBroken) terminal.object(withoutToken(member));
  if (!isBroken) return;
  const { line, column, reason } = member.problem ?? { line: 1, column: 1, reason: 'it cannot be read' };
  throw new CommandError(EXIT.failed, `.mesh/team/${member.id}.md:${line}:${column}: ${reason}`, 'broken_member', {
    ...(json && { member: withoutToken(member) }),
  });
}
