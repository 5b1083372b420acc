import { PageHead } from '../../components/section.js';

export function RequestPage() {
  return <PageHead title="Request" />;
}
