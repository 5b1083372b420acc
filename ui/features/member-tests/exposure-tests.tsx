import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { TestsBadge } from './tests-badge.js';
import { memberTestsQuery } from './tests-queries.js';

/**
 * The state of a member's tests beside the exposure switch, and whether they block exposure. Renders nothing for a
 * member without tests.
 */
export function ExposureTests({ member }: { member: MemberDetail }) {
  const tests = useQuery(memberTestsQuery(member.id)).data;
  if (!tests?.exists) return null;
  return (
    <p className="cluster">
      <TestsBadge tests={tests} />
      {tests.holds_door && <span>They block exposure until they pass.</span>}
      <Link from="/team/$id" to="." search={{ tab: 'tests' }}>
        {tests.holds_door ? 'Run its tests' : 'Show its tests'}
      </Link>
    </p>
  );
}
