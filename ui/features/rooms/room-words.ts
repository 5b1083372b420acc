import type { Room } from '../../../daemon/contract/rooms.js';
import type { HANDLE_MAX_CHARS, Vis } from '../../../daemon/contract/wall.js';
import { clockWords } from '../../lib/clock-words.js';
import { shownWords } from '../../lib/shown-words.js';
import type { Note, Standing } from './wall-log.js';

const HANDLE_MAX: typeof HANDLE_MAX_CHARS = 64;
/** Characters that are not seen, or that turn the reading direction: no handle has one. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** What is wrong with a handle and what would be right; undefined for one that the daemon takes. */
export function handleFault(handle: string): string | undefined {
  if (handle.trim() === '') return 'Say under which name the others see you.';
  if ([...handle].length > HANDLE_MAX) return `At most ${HANDLE_MAX} characters; these are ${[...handle].length}.`;
  return UNSEEN.test(handle) ? 'There is an invisible character in it: type it anew.' : undefined;
}

/** `ada`, `ada and bob`, `ada, bob and 3 others` */
export function namesWords(names: readonly string[], shown = 3): string {
  if (names.length <= 1) return names[0] ?? '';
  if (names.length <= shown) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const rest = names.length - shown + 1;
  return `${names.slice(0, shown - 1).join(', ')} and ${rest} others`;
}

/** `4 unread, 1 to you`; empty when nothing is. */
export function unreadWords({ unread, unread_direct }: Pick<Room, 'unread' | 'unread_direct'>): string {
  if (unread === 0) return '';
  return unread_direct === 0 ? `${unread} unread` : `${unread} unread, ${unread_direct} to you`;
}

export const hereWords = (online: number): string => (online === 0 ? 'nobody here' : `${online} here`);

/** How one sits in a room, in words: what others in it see, and what anybody else does. */
export const VIS_WORDS: Record<Vis, { name: string; means: string }> = {
  public: {
    name: 'Seen by all',
    means: 'Others in the room see your handle, and so do the public pages of a public room.',
  },
  private: {
    name: 'Masked outside',
    means: 'Others in the room see your handle. Outside of it you are counted, under a mask such as “private-1”.',
  },
  ghost: {
    name: 'A ghost',
    means: 'Nobody sees you come or go, and you are not counted. You read everything; if you speak, your handle shows.',
  },
};

/** How one is there, in a few words beside one's handle. */
export const SEEN_AS: Record<Vis, string> = {
  public: 'seen by all',
  private: 'masked outside',
  ghost: 'a ghost: others do not see you',
};

/** How a message of one's own fared; empty while it is on its way. */
export function standingWords(standing: Standing, to: readonly string[] | null): string {
  switch (standing.state) {
    case 'sending':
      return '';
    case 'unknown':
      return 'The line was cut before the daemon answered. Whether anybody got it is not known.';
    case 'refused':
      return `Nobody got it. ${standing.detail}`;
    case 'reached':
      return reachedWords(standing.count, to);
  }
}

function reachedWords(count: number, to: readonly string[] | null): string {
  const asked = new Set(to).size;
  if (count === 0 && to === null) return 'Reached 0. Nobody else is here and nothing is kept.';
  if (count === 0)
    return `Reached 0. ${namesWords([...new Set(to)])} ${asked === 1 ? 'is' : 'are'} not here and nothing is kept.`;
  if (to !== null && count < asked)
    return `Reached ${count} of ${asked}. Who is not here does not get it: nothing is kept.`;
  return `Reached ${count}.`;
}

/** `to you only`, `to ada only`, `to ada and bob only` */
export const directWords = (to: readonly string[], isOwn: boolean): string =>
  `to ${isOwn ? namesWords(to) : 'you'} only`;

/** What a line of the log says that nobody said. */
export function noteWords(note: Exclude<Note, { what: 'board' }>, at: number): string {
  switch (note.what) {
    case 'joined':
      return `Joined ${clockWords(at)} as ${note.handle}, ${SEEN_AS[note.vis]}. Nothing before this is kept.`;
    case 'cut':
      return `The line was cut ${clockWords(note.since)} to ${clockWords(note.until)}. What was said then is not kept.`;
    case 'presence':
      return [
        note.came.length > 0 && `${namesWords(note.came)} came`,
        note.left.length > 0 && `${namesWords(note.left)} left`,
      ]
        .filter(Boolean)
        .join(', ')
        .concat('.');
    case 'error':
      return note.detail;
  }
}

/** What is said aloud of what came: one message in its words, more as a number and from how many. */
export function heardWords(fresh: readonly { from: string; text: string; isDirect: boolean }[], room: string): string {
  const [only] = fresh;
  if (!only) return '';
  if (fresh.length === 1)
    return shownWords(
      `${only.from}${only.isDirect ? ', to you only' : ''}: ${only.text.slice(0, 400) || 'something that is no text'}`,
    );
  const people = new Set(fresh.map(({ from }) => from)).size;
  const direct = fresh.filter(({ isDirect }) => isDirect).length;
  const who = people === 1 ? only.from : `${people} people`;
  return shownWords(`${fresh.length} new from ${who} in ${room}${direct > 0 ? `, ${direct} to you only` : ''}`);
}
