import { describe, expect, it } from 'vitest';
import { cutWords, endingWords } from './room-closed.js';
import {
  directWords,
  handleFault,
  heardWords,
  namesWords,
  noteWords,
  standingWords,
  unreadWords,
} from './room-words.js';

describe('what a message reached, in words', () => {
  it.each([
    [3, null, 'Reached 3.'],
    [0, null, 'Reached 0. Nobody else is here, and nothing is saved.'],
    [1, ['ada'], 'Reached 1.'],
    [0, ['ada'], 'Reached 0. ada is not here, and nothing is saved.'],
    [0, ['ada', 'bob'], 'Reached 0. ada and bob are not here, and nothing is saved.'],
    [1, ['ada', 'bob'], 'Reached 1 of 2. Absent members do not get it: nothing is saved.'],
  ])('%s of %s', (count, to, words) => {
    expect(standingWords({ state: 'reached', count }, to)).toBe(words);
  });

  it('says so where nobody knows, and why it was refused', () => {
    expect(standingWords({ state: 'unknown' }, null)).toMatch(/unknown/);
    expect(standingWords({ state: 'refused', detail: 'The frame is empty.' }, null)).toBe(
      'Not delivered. The frame is empty.',
    );
  });
});

describe('a direct message', () => {
  it('is labelled with whom it is for only', () => {
    expect(directWords(['ada'], true)).toBe('to ada only');
    expect(directWords(['ada', 'bob'], true)).toBe('to ada and bob only');
    expect(directWords(['operator'], false)).toBe('to you only');
  });
});

describe('names', () => {
  it('are told one by one, and counted where there are many', () => {
    expect(namesWords([])).toBe('');
    expect(namesWords(['a', 'b', 'c'])).toBe('a, b and c');
    expect(namesWords(['a', 'b', 'c', 'd', 'e'])).toBe('a, b and 3 others');
  });
});

describe('what is unread', () => {
  it('says how much of it is to you', () => {
    expect(unreadWords({ unread: 0, unread_direct: 0 })).toBe('');
    expect(unreadWords({ unread: 4, unread_direct: 0 })).toBe('4 unread');
    expect(unreadWords({ unread: 4, unread_direct: 1 })).toBe('4 unread, 1 to you');
  });
});

describe('a handle', () => {
  it.each(['ada', 'Ada Lovelace', '港', 'x'.repeat(64)])('may be %j', (handle) =>
    expect(handleFault(handle)).toBeUndefined(),
  );
  it.each(['', '  ', 'x'.repeat(65), 'a\u202eb', 'a\nb', 'a\u200bb'])('may not be %j', (handle) =>
    expect(handleFault(handle)).toBeDefined(),
  );
});

describe('notes of the log', () => {
  const at = new Date(2026, 10, 21, 14, 5).getTime();
  it('say that nothing before the joining is kept', () => {
    expect(noteWords({ what: 'joined', handle: 'ada', vis: 'ghost' }, at)).toBe(
      'Joined 14:05 as ada, invisible to others. Earlier messages are not saved.',
    );
  });
  it('say from when to when the line was cut', () => {
    expect(noteWords({ what: 'cut', since: at, until: at + 60_000 }, at)).toBe(
      'The connection was lost 14:05 to 14:06. Messages from that time are not available.',
    );
  });
  it('gather who came and who left', () => {
    expect(noteWords({ what: 'presence', came: ['ada', 'bob'], left: ['eve'] }, at)).toBe(
      'ada and bob came, eve left.',
    );
  });
});

describe('the end of a line', () => {
  it('that is cut is said by the code of the close', () => {
    const words = [1001, 1009, 4408, 1006].map(cutWords);
    expect(new Set(words).size).toBe(words.length);
    expect(cutWords(1006)).toBe('The daemon does not respond.');
  });
  it('is said with the reason that was given', () => {
    const { what, means } = endingWords({ why: 'deleted', reason: 'deleted by its admin' });
    expect(what).toBe('This cluster was deleted');
    expect(means).toMatch(/^Deleted by its admin\. Its Wall/);
  });
});

describe('what is said aloud', () => {
  const line = (from: string, isDirect = false) => ({ from, text: 'hello', isDirect });
  it('is one message in its words', () => {
    expect(heardWords([line('ada')], 'Crew')).toBe('ada: hello');
    expect(heardWords([line('ada', true)], 'Crew')).toBe('ada, to you only: hello');
  });
  it('is a burst as a number, from how many, and where', () => {
    expect(heardWords([line('ada'), line('bob'), line('ada', true), line('ada'), line('bob')], 'Crew')).toBe(
      '5 new from 2 people in Crew, 1 to you only',
    );
    expect(heardWords([line('ada'), line('ada')], 'Crew')).toBe('2 new from ada in Crew');
  });
  it('has no mark that turns the words around it', () => {
    expect(heardWords([line('ada\u202e')], 'Crew')).toBe('ada\\u202e: hello');
    expect(heardWords([line('ada'), line('bob')], 'Crew\u2066')).toBe('2 new from 2 people in Crew\\u2066');
  });
});
