import type { Drift } from '../../../daemon/contract/imports.js';
import type { FileCommitState, Member } from '../../../daemon/contract/team.js';

const against: Record<FileCommitState, string> = { committed: 'ok', changed: 'changed', uncommitted: 'not committed' };

/** Returns the most important state of a member's file: unreadable, behind its source, or different from git. */
export function formatFileState(
  { state }: Pick<Member, 'state'>,
  drift: Pick<Drift, 'state'> | undefined,
  commitState: FileCommitState | undefined,
): string {
  if (state === 'broken') return 'broken';
  if (drift) return drift.state === 'gone' ? 'source gone' : 'source changed';
  return commitState ? against[commitState] : 'ok';
}
