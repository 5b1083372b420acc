import { PageHead } from '../../components/section.js';

export function SystemPage() {
  return <PageHead title="System" />;
}
