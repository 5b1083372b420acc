import { describe, expect, it } from 'vitest';
import {
  formatAnnouncement,
  formatDelivery,
  formatDirect,
  formatNames,
  formatNote,
  formatUnread,
  handleFault,
} from './cluster-format.js';
import { describeEnding, formatDisconnect } from './wall/wall-closed.js';

describe('delivery of a message', () => {
  it.each([
    [3, null, 'Reached 3.'],
    [0, null, 'Reached 0. Nobody else is here, and nothing is saved.'],
    [1, ['ada'], 'Reached 1.'],
    [0, ['ada'], 'Reached 0. ada is not here, and nothing is saved.'],
    [0, ['ada', 'bob'], 'Reached 0. ada and bob are not here, and nothing is saved.'],
    [1, ['ada', 'bob'], 'Reached 1 of 2. Absent members do not get it: nothing is saved.'],
  ])('with %s of %s recipients', (count, to, words) => {
    expect(formatDelivery({ state: 'reached', count }, to)).toBe(words);
  });

  it('is described when it is unknown or refused', () => {
    expect(formatDelivery({ state: 'unknown' }, null)).toMatch(/unknown/);
    expect(formatDelivery({ state: 'refused', detail: 'The frame is empty.' }, null)).toBe(
      'Not delivered. The frame is empty.',
    );
  });
});

describe('direct message', () => {
  it('is labelled with its recipients', () => {
    expect(formatDirect(['ada'], true)).toBe('to ada only');
    expect(formatDirect(['ada', 'bob'], true)).toBe('to ada and bob only');
    expect(formatDirect(['operator'], false)).toBe('to you only');
  });
});

describe('names', () => {
  it('are listed, and counted when there are many', () => {
    expect(formatNames([])).toBe('');
    expect(formatNames(['a', 'b', 'c'])).toBe('a, b and c');
    expect(formatNames(['a', 'b', 'c', 'd', 'e'])).toBe('a, b and 3 others');
  });
});

describe('unread messages', () => {
  it('are described with the number of direct ones', () => {
    expect(formatUnread({ unread: 0, unread_direct: 0 })).toBe('');
    expect(formatUnread({ unread: 4, unread_direct: 0 })).toBe('4 unread');
    expect(formatUnread({ unread: 4, unread_direct: 1 })).toBe('4 unread, 1 to you');
  });
});

describe('handle', () => {
  it.each(['ada', 'Ada Lovelace', '港', 'علی\u200cرضا', 'x'.repeat(64)])('may be %j', (handle) =>
    expect(handleFault(handle)).toBeUndefined(),
  );
  it.each(['', '  ', 'x'.repeat(65), 'a\u202eb', 'a\nb', 'a\u200bb'])('may not be %j', (handle) =>
    expect(handleFault(handle)).toBeDefined(),
  );
});

describe('notes', () => {
  const at = new Date(2026, 10, 21, 14, 5).getTime();
  it('state that messages before joining are not saved', () => {
    expect(formatNote({ what: 'joined', handle: 'ada', vis: 'ghost' }, at)).toBe(
      'Joined 14:05 as ada, invisible to others. Earlier messages are not saved.',
    );
  });
  it('state from when to when the connection was lost', () => {
    expect(formatNote({ what: 'cut', since: at, until: at + 60_000 }, at)).toBe(
      'The connection was lost 14:05 to 14:06. Messages from that time are not available.',
    );
  });
  it('list who came and who left', () => {
    expect(formatNote({ what: 'presence', came: ['ada', 'bob'], left: ['eve'] }, at)).toBe(
      'ada and bob came, eve left.',
    );
  });
});

describe('end of a connection', () => {
  it('has a different text for each close code', () => {
    const words = [1001, 1009, 4408, 1006].map(formatDisconnect);
    expect(new Set(words).size).toBe(words.length);
    expect(formatDisconnect(1006)).toBe('The daemon does not respond.');
  });
  it('includes the given reason', () => {
    const { what, means } = describeEnding({ why: 'deleted', reason: 'deleted by its admin' });
    expect(what).toBe('This cluster was deleted');
    expect(means).toMatch(/^Deleted by its admin\. Its Wall/);
  });
});

describe('announcement', () => {
  const line = (from: string, isDirect = false) => ({ from, text: 'hello', isDirect });
  it('is the text of a single message', () => {
    expect(formatAnnouncement([line('ada')], 'Crew')).toBe('ada: hello');
    expect(formatAnnouncement([line('ada', true)], 'Crew')).toBe('ada, to you only: hello');
  });
  it('is a count, the number of people and the cluster for several messages', () => {
    expect(formatAnnouncement([line('ada'), line('bob'), line('ada', true), line('ada'), line('bob')], 'Crew')).toBe(
      '5 new from 2 people in Crew, 1 to you only',
    );
    expect(formatAnnouncement([line('ada'), line('ada')], 'Crew')).toBe('2 new from ada in Crew');
  });
  it('escapes characters that change the text direction', () => {
    expect(formatAnnouncement([line('ada\u202e')], 'Crew')).toBe('ada\\u202e: hello');
    expect(formatAnnouncement([line('ada'), line('bob')], 'Crew\u2066')).toBe('2 new from 2 people in Crew\\u2066');
  });
});
