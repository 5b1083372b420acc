import type { WallEnding } from '../../../../daemon/client/wall-line.js';
import type { CLOSE } from '../../../../daemon/contract/events.js';

type Close = typeof CLOSE;
const TOO_SLOW: Close['tooSlow'] = 4408;
const SHUTTING_DOWN: Close['shuttingDown'] = 1001;
const TOO_BIG: Close['tooBig'] = 1009;

/** Returns why the connection is cut, from the close code of its socket. */
export function formatDisconnect(code: number): string {
  switch (code) {
    case TOO_SLOW:
      return 'This tab was too slow, so the daemon disconnected it.';
    case SHUTTING_DOWN:
      return 'The daemon is stopping.';
    case TOO_BIG:
      return 'The message is larger than 64 KB: the daemon disconnected.';
    default:
      return 'The daemon does not respond.';
  }
}

/** Returns a heading and an explanation for an ending. */
export function describeEnding({ why, reason }: WallEnding): { what: string; means: string } {
  switch (why) {
    case 'deleted':
      return {
        what: 'This cluster was deleted',
        means: `${reason === '' ? '' : `${sentence(reason)} `}Its Wall, boards and posts are deleted for everybody.`,
      };
    case 'revoked':
      return {
        what: 'Your token is no longer valid for this cluster',
        means: 'Ask whoever invited you for a new token, then paste it.',
      };
    case 'refused':
      return {
        what: 'This cluster cannot be opened',
        means: 'It was deleted, or the saved token is wrong. Ask whoever invited you for a new one.',
      };
    case 'too_much':
      return {
        what: 'The daemon disconnected you',
        means: 'Rate limit: at most 200 frames and 1 MB a second. Nothing has been sent since.',
      };
  }
}

function sentence(words: string): string {
  const told = words.trim();
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}${/[.!?]$/.test(told) ? '' : '.'}`;
}
