import type { Member, MemberDetail } from '../../contract/team.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { memberPath } from '../team/member.js';
import { printable, type Terminal } from '../terminal.js';
import { askYesOrNo } from '../yes-or-no.js';
import type { RunningDaemon } from './project.js';

/** Whether other programs may ask the member. */
export const isExposed = ({ exposure, exposure_hold, warnings = [] }: Member) =>
  exposure === 'external' && exposure_hold === undefined && !warnings.some(({ path }) => path === 'exposure');

/** Whether the member waits for the operator's agreement to its exposure. */
export const isWaiting = ({ exposure_hold }: Pick<Member, 'exposure_hold'>) => exposure_hold === 'agreement';

const HOLDS = {
  agreement: 'internal until you approve',
  kept_internal: 'kept internal by you',
  tests: 'internal: tests have not passed',
} as const;

/** A member's exposure in words: the value in its file, and what keeps it internal nevertheless. */
export function formatExposure({ exposure, exposure_hold }: Pick<Member, 'exposure' | 'exposure_hold'>): string {
  return exposure_hold === undefined ? exposure : `${exposure} in its file, ${HOLDS[exposure_hold]}`;
}

/** The sentence on members that wait for agreement. */
function waitingLine(ids: readonly string[]): string {
  const what = ids.length === 1 ? `member ${ids[0]}` : `${ids.length} members`;
  return `This repository exposes ${what} to other programs${ids.length === 1 ? '' : `: ${ids.join(', ')}`}.`;
}

/** How to agree, for when no prompt is possible. */
function formatApproval(ids: readonly string[], typed: string): string {
  const [pronoun, each] = ids.length === 1 ? ['It stays', ids[0]] : ['They stay', '<member>'];
  return `${pronoun} internal until you approve: ${typed} team expose ${each}`;
}

async function expose(terminal: Terminal, { client }: RunningDaemon, ids: readonly string[]): Promise<string[]> {
  const exposed: string[] = [];
  for (const id of ids) {
    try {
      await client.send<MemberDetail>('POST', `${memberPath(id)}/expose`);
      exposed.push(id);
    } catch (error) {
      // The failure of one member does not affect the others.
      if (!(error instanceof CommandError) || error.exit === EXIT.unreachable) throw error;
      terminal.note(`  ${printable(error.message)}`);
    }
  }
  return exposed;
}

/**
 * Reports the members that wait for agreement, and prompts once for all of them when both stdin and stdout are
 * terminals. A no is stored; input that ends before the answer decides nothing. Returns the members that still wait.
 */
export async function settleWaiting(
  terminal: Terminal,
  daemon: RunningDaemon,
  members: readonly Member[],
): Promise<string[]> {
  const waiting = members.filter(isWaiting).map(({ id }) => id);
  if (waiting.length === 0) return [];
  const typed = terminal.environment.command;
  const one = waiting.length === 1;
  terminal.note(`  Waiting  ${waitingLine(waiting)}`);
  const answer =
    terminal.hasPerson && terminal.isSeen && !terminal.isJson
      ? await askYesOrNo(
          terminal,
          `           Expose ${one ? 'it' : 'them'} to programs that hold ${one ? 'its token' : 'their tokens'}?`,
        )
      : undefined;
  if (answer === undefined) {
    terminal.note(`           ${formatApproval(waiting, typed)}`);
    return waiting;
  }
  if (answer) {
    const exposed = await expose(terminal, daemon, waiting);
    if (exposed.length > 0) terminal.note(`           Exposed: ${exposed.join(', ')}`);
    return [];
  }
  for (const id of waiting) await daemon.client.send<MemberDetail>('POST', `${memberPath(id)}/keep-internal`);
  terminal.note(
    `           Kept internal. To expose ${one ? 'it' : 'one'} later: ${typed} team expose ` +
      `${one ? waiting[0] : '<member>'}`,
  );
  return [];
}
