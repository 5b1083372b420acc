import { PageHead } from '../../components/section.js';

export function DeskPage() {
  return <PageHead title="Desk" />;
}
