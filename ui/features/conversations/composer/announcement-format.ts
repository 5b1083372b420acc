import type { Message } from '../../../../daemon/contract/conversations.js';
import { toDisplayText } from '../../../lib/format/display-text.js';

const ANNOUNCED_CHARS = 400;

/**
 * Returns the text announced for the messages after `told`: a single message with its text, several as a count with the
 * number of speakers.
 */
export function formatAnnouncement(
  messages: readonly Message[],
  announced: string | undefined,
  member: string,
): string {
  const at = messages.findLastIndex(({ id }) => id === announced);
  const fresh = messages.slice(at + 1).filter(({ role, from_outside }) => role === 'assistant' || from_outside);
  const [only] = fresh;
  if (!only) return '';
  const who = (message: Message) => (message.role === 'assistant' ? member : 'A program');
  if (fresh.length === 1) {
    const text = only.text.length > ANNOUNCED_CHARS ? `${only.text.slice(0, ANNOUNCED_CHARS)}…` : only.text;
    return toDisplayText(`${who(only)}: ${text}`);
  }
  const voices = new Set(fresh.map(who));
  return `${fresh.length} new from ${voices.size === 1 ? [...voices][0] : `${voices.size} voices`}`;
}
