import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { healthQuery } from '../features/system/system-queries.js';
import { toDisplayText } from '../lib/format/display-text.js';

/** Sets the document title, such as `(2) Requests – harbour`: the count, the page and the project. */
export function usePageTitle(title: string, count = 0): void {
  const { data: project } = useQuery({ ...healthQuery(), select: (health) => health.project });
  useEffect(() => {
    document.title = toDisplayText(`${count > 0 ? `(${count}) ` : ''}${title}${project ? ` – ${project}` : ''}`);
  }, [title, count, project]);
}
