import { useState } from 'react';
import { Skeleton } from '../../components/states.js';
import { fetched } from '../../lib/fetched.js';

const TracePanel = fetched(() => import('./trace-panel.js'), <Skeleton rows={6} />);

/** How the built-in search found an answer, folded: it is read when it is first opened. */
export function SearchTrace({ rid }: { rid: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen((before) => before || currentTarget.open)}>
      <summary>How this answer was found</summary>
      {isOpen && <TracePanel rid={rid} />}
    </details>
  );
}
