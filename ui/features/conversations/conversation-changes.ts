import type { ConversationPatch } from '../../../daemon/contract/conversations.js';

interface Change {
  body: ConversationPatch;
  /** What is said once it is done. */
  words: string;
  /** What takes it back, where that is offered. */
  undo?: ConversationPatch;
}

/** Where a conversation is put, and what that is called. */
export const CHANGES = {
  pin: { body: { pinned: true }, words: 'Pinned.' },
  unpin: { body: { pinned: false }, words: 'Unpinned.' },
  archive: { body: { archived: true }, words: 'Archived. It stays readable.', undo: { archived: false } },
  unarchive: { body: { archived: false }, words: 'Unarchived.' },
} satisfies Record<string, Change>;

export type ChangeName = keyof typeof CHANGES;

/** What is said of a change that was made; `patch` makes another. */
export function saidOf(name: ChangeName, patch: (body: ConversationPatch) => void) {
  const { words, undo }: Change = CHANGES[name];
  return { text: words, ...(undo ? { action: { label: 'Undo', run: () => patch(undo) } } : {}) };
}
