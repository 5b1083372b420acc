import type { ConversationPatch } from '../../../daemon/contract/conversations.js';
import type { useToast } from '../../components/toasts.js';

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

type Say = ReturnType<typeof useToast>;

/** The action of a toast that undoes a change. A failure is said: who made the change may be gone by then. */
export const toUndo = (undo: () => Promise<unknown>, say: Say) => ({
  label: 'Undo',
  run: () => void undo().catch((error: Error) => say({ tone: 'failed', text: `It was not undone. ${error.message}` })),
});

/** Says that a change was made, and offers to undo it with `patch`. */
export function sayChange(name: ChangeName, patch: (body: ConversationPatch) => Promise<unknown>, say: Say): void {
  const { words, undo }: Change = CHANGES[name];
  say({ text: words, ...(undo && { action: toUndo(() => patch(undo), say) }) });
}
