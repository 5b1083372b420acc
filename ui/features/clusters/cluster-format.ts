import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import type { HANDLE_MAX_CHARS, Vis } from '../../../daemon/contract/wall.js';
import { formatClockTime } from '../../lib/format/clock-format.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import type { DeliveryState, Note } from './wall/wall-log.js';

const HANDLE_MAX: typeof HANDLE_MAX_CHARS = 64;
/**
 * Invisible characters and those that change the text direction. The daemon rejects a handle with one of them. It alone
 * knows where joiners and the tags of emoji belong.
 */
const INVISIBLE_CHARS = /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Returns what is wrong with a handle and what would be right; undefined for a handle that the daemon accepts. */
export function handleFault(handle: string): string | undefined {
  if (handle.trim() === '') return 'Enter the name others see.';
  if ([...handle].length > HANDLE_MAX) return `At most ${HANDLE_MAX} characters; these are ${[...handle].length}.`;
  return INVISIBLE_CHARS.test(handle) ? 'It contains an invisible character: type it again.' : undefined;
}

/** Joins names as `ada`, `ada and bob`, `ada, bob and 3 others`. */
export function formatNames(names: readonly string[], shown = 3): string {
  if (names.length <= 1) return names[0] ?? '';
  if (names.length <= shown) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const rest = names.length - shown + 1;
  return `${names.slice(0, shown - 1).join(', ')} and ${rest} others`;
}

/** Formats as `4 unread, 1 to you`; empty when nothing is unread. */
export function formatUnread({ unread, unread_direct }: Pick<SavedCluster, 'unread' | 'unread_direct'>): string {
  if (unread === 0) return '';
  return unread_direct === 0 ? `${unread} unread` : `${unread} unread, ${unread_direct} to you`;
}

export const formatOnlineCount = (online: number): string => (online === 0 ? 'nobody here' : `${online} here`);

/** Name and explanation of each visibility: what other members see, and what everyone else sees. */
export const VIS_WORDS: Record<Vis, { name: string; means: string }> = {
  public: {
    name: 'Visible',
    means: 'Others in the cluster see your handle. A public cluster’s public pages show it too.',
  },
  private: {
    name: 'Hidden on public pages',
    means: 'Others in the cluster see your handle. Public pages show a placeholder such as “private-1”.',
  },
  ghost: {
    name: 'Invisible',
    means: 'You are not listed or counted. You read everything. If you post, your handle is shown.',
  },
};

/** Short form of the visibility, shown beside the handle. */
export const SEEN_AS: Record<Vis, string> = {
  public: 'visible',
  private: 'hidden on public pages',
  ghost: 'invisible to others',
};

/** Returns the delivery status of the operator's own message; empty while it is being sent. */
export function formatDelivery(delivery: DeliveryState, to: readonly string[] | null): string {
  switch (delivery.state) {
    case 'sending':
      return '';
    case 'unknown':
      return 'The connection was lost before the daemon responded. Delivery is unknown.';
    case 'refused':
      return `Not delivered. ${delivery.detail}`;
    case 'reached':
      return formatReached(delivery.count, to);
  }
}

function formatReached(count: number, to: readonly string[] | null): string {
  const asked = new Set(to).size;
  if (count === 0 && to === null) return 'Reached 0. Nobody else is here, and nothing is saved.';
  if (count === 0)
    return `Reached 0. ${formatNames([...new Set(to)])} ${asked === 1 ? 'is' : 'are'} not here, and nothing is saved.`;
  if (to !== null && count < asked)
    return `Reached ${count} of ${asked}. Absent members do not get it: nothing is saved.`;
  return `Reached ${count}.`;
}

/** Formats as `to you only`, `to ada only`, `to ada and bob only`. */
export const formatDirect = (to: readonly string[], isOwn: boolean): string =>
  `to ${isOwn ? formatNames(to) : 'you'} only`;

/** Returns the text of a log line that is not a message. */
export function formatNote(note: Exclude<Note, { what: 'board' }>, at: number): string {
  switch (note.what) {
    case 'joined':
      return `Joined ${formatClockTime(at)} as ${note.handle}, ${SEEN_AS[note.vis]}. Earlier messages are not saved.`;
    case 'cut':
      return (
        `The connection was lost ${formatClockTime(note.since)} to ${formatClockTime(note.until)}. Messages from ` +
        'that time are not available.'
      );
    case 'presence':
      return [
        note.came.length > 0 && `${formatNames(note.came)} came`,
        note.left.length > 0 && `${formatNames(note.left)} left`,
      ]
        .filter(Boolean)
        .join(', ')
        .concat('.');
    case 'error':
      return note.detail;
  }
}

/**
 * Returns the text announced for new messages: a single message with its text, several as a count with the number of
 * people.
 */
export function formatAnnouncement(
  fresh: readonly { from: string; text: string; isDirect: boolean }[],
  savedCluster: string,
): string {
  const [only] = fresh;
  if (!only) return '';
  if (fresh.length === 1)
    return toDisplayText(`${only.from}${only.isDirect ? ', to you only' : ''}: ${only.text.slice(0, 400) || 'data'}`);
  const people = new Set(fresh.map(({ from }) => from)).size;
  const direct = fresh.filter(({ isDirect }) => isDirect).length;
  const who = people === 1 ? only.from : `${people} people`;
  return toDisplayText(
    `${fresh.length} new from ${who} in ${savedCluster}${direct > 0 ? `, ${direct} to you only` : ''}`,
  );
}
