import type { Drift } from '../../../daemon/contract/imports.js';
import type { FileStanding, Member } from '../../../daemon/contract/team.js';

const against: Record<FileStanding, string> = { committed: 'ok', changed: 'changed', uncommitted: 'not committed' };

/** How a member's file stands, in the one or two words that matter most: unreadable, behind its source, otherwise than in git. */
export function fileWords(
  { state }: Pick<Member, 'state'>,
  drift: Pick<Drift, 'state'> | undefined,
  standing: FileStanding | undefined,
): string {
  if (state === 'broken') return 'broken';
  if (drift) return drift.state === 'gone' ? 'source gone' : 'source changed';
  return standing ? against[standing] : 'ok';
}
