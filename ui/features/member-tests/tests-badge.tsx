import type { MemberTestsSummary } from '../../../daemon/contract/member-tests.js';
import { Badge } from '../../components/badge.js';
import { formatTestsState, havePassed } from './tests-format.js';

/** The state of a member's tests as a badge. */
export function TestsBadge({ tests }: { tests: Pick<MemberTestsSummary, 'problem' | 'running' | 'last_run'> }) {
  if (tests.running) return <Badge>tests: running</Badge>;
  if (tests.problem !== null) return <Badge tone="failed">tests: cannot be read</Badge>;
  if (!tests.last_run) return <Badge>tests: never run</Badge>;
  if (tests.last_run.outcome !== 'finished') return <Badge>tests: not finished</Badge>;
  if (!tests.last_run.current) return <Badge>tests: out of date</Badge>;
  return <Badge tone={havePassed(tests) ? 'well' : 'failed'}>tests: {formatTestsState(tests)}</Badge>;
}
