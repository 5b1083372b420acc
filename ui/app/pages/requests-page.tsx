import { PageHead } from '../../components/section.js';

export function RequestsPage() {
  return <PageHead title="Requests" />;
}
