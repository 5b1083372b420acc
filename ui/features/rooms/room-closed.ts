import type { CLOSE } from '../../../daemon/contract/events.js';

type Close = typeof CLOSE;
const DELETED: Close['deleted'] = 4000;
const REVOKED: Close['revoked'] = 4401;
const TOO_SLOW: Close['tooSlow'] = 4408;
const SHUTTING_DOWN: Close['shuttingDown'] = 1001;
const POLICY: Close['policy'] = 1008;
const TOO_BIG: Close['tooBig'] = 1009;

/** Why one is not in the room any more and does not come back by itself. */
export interface Ending {
  why: 'deleted' | 'revoked' | 'refused' | 'too_much';
  /** In the words of whoever ended it; may be empty. */
  reason: string;
}

/** What the close of a socket means: an ending, or words for a cut after which one comes back. */
export function endingOf(code: number, reason: string): { ending?: Ending; words: string } {
  switch (code) {
    case DELETED:
      return { ending: { why: 'deleted', reason }, words: '' };
    case REVOKED:
      return { ending: { why: 'revoked', reason }, words: '' };
    case POLICY:
      return { ending: { why: 'too_much', reason }, words: '' };
    case TOO_SLOW:
      return { words: 'This tab did not read in time, so the daemon let go of it.' };
    case SHUTTING_DOWN:
      return { words: 'The daemon stops.' };
    case TOO_BIG:
      return { words: 'What was sent is larger than 64 KB: the daemon let go of the line.' };
    default:
      return { words: 'The daemon does not answer.' };
  }
}

/** An ending as a heading and what it means. */
export function endingWords({ why, reason }: Ending): { what: string; means: string } {
  switch (why) {
    case 'deleted':
      return {
        what: 'This room was deleted',
        means: `${reason === '' ? '' : `${sentence(reason)} `}Its Wall, its boards and its posts are gone for everybody, and there is no way back.`,
      };
    case 'revoked':
      return { what: 'Your token opens this room no more', means: 'Ask who invited you for another one, then paste it.' };
    case 'refused':
      return {
        what: 'This room does not open',
        means: 'It was deleted, or the token that is kept for it is not its token. Ask who invited you for another one.',
      };
    case 'too_much':
      return {
        what: 'The daemon sent you out of the room',
        means: 'Too much was said at once: at most 200 frames and 1 MB a second. Nothing was said for you since.',
      };
  }
}

function sentence(words: string): string {
  const told = words.trim();
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}${/[.!?]$/.test(told) ? '' : '.'}`;
}
