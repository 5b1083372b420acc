import type { WallEnding } from '../../../client/wall-line.js';
import type { CLOSE } from '../../../daemon/contract/events.js';

type Close = typeof CLOSE;
const TOO_SLOW: Close['tooSlow'] = 4408;
const SHUTTING_DOWN: Close['shuttingDown'] = 1001;
const TOO_BIG: Close['tooBig'] = 1009;

/** Why the line is cut, by the code with which its socket was closed. */
export function cutWords(code: number): string {
  switch (code) {
    case TOO_SLOW:
      return 'This tab did not read in time, so the daemon let go of it.';
    case SHUTTING_DOWN:
      return 'The daemon stops.';
    case TOO_BIG:
      return 'What was sent is larger than 64 KB: the daemon let go of the line.';
    default:
      return 'The daemon does not answer.';
  }
}

/** An ending as a heading and what it means. */
export function endingWords({ why, reason }: WallEnding): { what: string; means: string } {
  switch (why) {
    case 'deleted':
      return {
        what: 'This room was deleted',
        means: `${reason === '' ? '' : `${sentence(reason)} `}Its Wall, its boards and its posts are gone for everybody, and there is no way back.`,
      };
    case 'revoked':
      return {
        what: 'Your token opens this room no more',
        means: 'Ask who invited you for another one, then paste it.',
      };
    case 'refused':
      return {
        what: 'This room does not open',
        means:
          'It was deleted, or the token that is kept for it is not its token. Ask who invited you for another one.',
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
