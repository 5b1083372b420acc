import { useMemo } from 'react';
import type { Post } from '../../../../daemon/contract/boards.js';
import rows from '../../../components/rows.module.css';
import { Section } from '../../../components/section.js';
import { groupByDay } from './event-day.js';

const weekday = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

export const formatDay = (day: string | undefined): string =>
  day === undefined ? 'No day given' : weekday.format(Date.parse(`${day}T00:00:00Z`));

/** Events grouped by the day that their text names. */
export function Agenda({ posts, row }: { posts: readonly Post[]; row: (post: Post) => React.ReactNode }) {
  const days = useMemo(() => groupByDay(posts), [posts]);
  return (
    <div className="sections">
      {days.map(({ day, events }) => (
        <Section key={day ?? ''} title={formatDay(day)} count={events.length}>
          <ul className={rows.rows} aria-label={formatDay(day)}>
            {events.map(({ post }) => row(post))}
          </ul>
        </Section>
      ))}
    </div>
  );
}
