import { PageHead } from '../../components/section.js';

export function TeamPage() {
  return <PageHead title="Team" />;
}
