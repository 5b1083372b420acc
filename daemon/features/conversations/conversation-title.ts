import type { ConversationRow } from './conversations-store.js';

const TITLE_CHARS = 80;

/** Returns the display title of a conversation: its title, else its member. */
export const formatTitle = ({ title, member }: Pick<ConversationRow, 'title' | 'member'>) =>
  title || member || 'New conversation';

/** Derives a title from the first line of the first message, shortened. */
export function titleFrom(text: string): string {
  // A code point has at most two UTF-16 units, so the rest of a long text cannot matter.
  const [first] = text
    .trim()
    .slice(0, 2 * TITLE_CHARS + 2)
    .split('\n') as [string];
  const line = [...first];
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).join('')}…` : first;
}
