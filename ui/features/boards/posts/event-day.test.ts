import { describe, expect, it } from 'vitest';
import { eventDay, groupByDay } from './event-day.js';

const said = (title: string, body = '') => ({ title, body });

describe('day of an event', () => {
  it.each([
    [said('Concert 2026-12-05 20:30'), { day: '2026-12-05', time: '20:30' }],
    [said('Concert', 'On 2026-12-05, at 20:30 sharp'), { day: '2026-12-05', time: '20:30' }],
    [said('Concert', 'On 2026-12-05T09:00Z'), { day: '2026-12-05', time: '09:00' }],
    [said('Concert 2026-12-05', 'moved from 2026-11-01'), { day: '2026-12-05', time: undefined }],
    [said('Fair', '2026-02-30, no, 2026-03-01'), { day: '2026-03-01', time: undefined }],
    [said('Fair', '2026-12-05 25:00'), { day: '2026-12-05', time: undefined }],
    [said('Reading', 'ask me'), undefined],
    [said('Order 12026-12-055'), undefined],
  ])('in %j', (post, day) => expect(eventDay(post)).toEqual(day));

  it('orders the agenda by day and time, with undated events last', () => {
    const posts = [
      said('later', '2026-12-31'),
      said('whenever'),
      said('evening', '2026-12-05 20:30'),
      said('morning', '2026-12-05 09:00'),
      said('all day', '2026-12-05'),
    ];
    expect(groupByDay(posts).map(({ day, events }) => [day, events.map(({ post }) => post.title)])).toEqual([
      ['2026-12-05', ['morning', 'evening', 'all day']],
      ['2026-12-31', ['later']],
      [undefined, ['whenever']],
    ]);
  });
});
