import type { ConversationPatch } from '../../../daemon/contract/conversations.js';

interface Change {
  body: ConversationPatch;
  /** The confirmation text. */
  words: string;
  /** The change that undoes it, when undo is offered. */
  undo?: ConversationPatch;
}

/** Changes of a conversation's state, with their confirmation. */
export const CHANGES = {
  pin: { body: { pinned: true }, words: 'Pinned.' },
  unpin: { body: { pinned: false }, words: 'Unpinned.' },
  archive: { body: { archived: true }, words: 'Archived. It stays readable.', undo: { archived: false } },
  unarchive: { body: { archived: false }, words: 'Unarchived.' },
} satisfies Record<string, Change>;

export type ChangeName = keyof typeof CHANGES;

/** Returns the toast for a change that was made. Its undo action calls `patch`. */
export function createChangeToast(name: ChangeName, patch: (body: ConversationPatch) => void) {
  const { words, undo }: Change = CHANGES[name];
  return { text: words, ...(undo ? { action: { label: 'Undo', run: () => patch(undo) } } : {}) };
}
