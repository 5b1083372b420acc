import { TITLE_MAX_CHARS } from '../../contract/conversations.js';
import type { ConversationRow } from './conversations-store.js';

const TITLE_CHARS = 80;

/** What a conversation is called: as it was named, or by its first words, else by its member. */
export const titleOf = ({ title, member }: Pick<ConversationRow, 'title' | 'member'>) =>
  title || member || 'New conversation';

/** The title of a conversation that was not named: the first line of what is said first, cut to fit. */
export function titleFrom(text: string): string {
  // A character is at most two units long: no more of a long text is looked at.
  const [first = ''] = text
    .trim()
    .slice(0, 2 * TITLE_CHARS + 2)
    .split('\n');
  const line = [...first];
  const cut = line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).join('')}…` : line.join('');
  return cut.slice(0, TITLE_MAX_CHARS);
}
