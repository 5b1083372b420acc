import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { healthQuery } from '../features/system/system-queries.js';
import { shownWords } from '../lib/shown-words.js';

/** `(2) Requests – harbour`: what waits, where one is, and whose daemon it is. */
export function usePageTitle(title: string, count = 0): void {
  const { data: project } = useQuery({ ...healthQuery(), select: (health) => health.project });
  useEffect(() => {
    document.title = shownWords(`${count > 0 ? `(${count}) ` : ''}${title}${project ? ` – ${project}` : ''}`);
  }, [title, count, project]);
}
