import { PageHead } from '../../components/section.js';

export function MemberPage() {
  return <PageHead title="Member" />;
}
