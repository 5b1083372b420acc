import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Badge } from '../../components/badge.js';
import { memberTestsQuery } from './tests-queries.js';
import { areWell, standingWords } from './tests-words.js';

/** Beside the switch of the door: how the member's tests stand, and whether they keep it shut. Nothing for a member without tests. */
export function DoorTests({ member }: { member: MemberDetail }) {
  const tests = useQuery(memberTestsQuery(member.id)).data;
  if (!tests?.exists) return null;
  const isWell = areWell(tests);
  return (
    <p className="cluster">
      <Badge {...(isWell ? { tone: 'well' as const } : tests.last_run ? { tone: 'failed' as const } : {})}>
        tests: {tests.problem === null ? standingWords(tests) : 'cannot be read'}
      </Badge>
      {tests.holds_door && <span>They keep the door shut until they pass.</span>}
      <Link from="/team/$id" to="." search={{ tab: 'tests' }}>
        {tests.holds_door ? 'Run its tests' : 'Show its tests'}
      </Link>
    </p>
  );
}
