import type { Drift } from '../../../daemon/contract/imports.js';
import type { FileStanding, Member } from '../../../daemon/contract/team.js';

const against: Record<FileStanding, string> = { committed: 'ok', changed: 'changed', uncommitted: 'not committed' };

/** Returns the most important state of a member's file: unreadable, behind its source, or different from git. */
export function fileWords(
  { state }: Pick<Member, 'state'>,
  drift: Pick<Drift, 'state'> | undefined,
  standing: FileStanding | undefined,
): string {
  if (state === 'broken') return 'broken';
  if (drift) return drift.state === 'gone' ? 'source gone' : 'source changed';
  return standing ? against[standing] : 'ok';
}
