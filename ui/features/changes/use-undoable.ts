import { useCallback } from 'react';
import type { RevertChange, Rewind, Rewound } from '../../../daemon/contract/work/changes.js';
import { useToast } from '../../components/toasts.js';
import { useRevert, useRewind } from './changes-mutations.js';

/** Returns a function that says what was done, with an Undo that takes `what` back to the checkpoint `kept`. */
function useUndoToast(conv: string) {
  const { mutateAsync } = useRewind(conv);
  const say = useToast();
  return useCallback(
    (text: string, { kept }: Rewound, what: Rewind['what']) => {
      // The component may be unmounted by then, and with it the callbacks of `mutate`.
      const undo = (checkpoint: string) =>
        mutateAsync({ checkpoint, what }).then(
          () => say({ text: 'Undone.' }),
          (error: Error) => say({ tone: 'failed', text: `It was not undone. ${error.message}` }),
        );
      say({ text, ...(kept && { action: { label: 'Undo', run: () => void undo(kept.checkpoint) } }) });
    },
    [mutateAsync, say],
  );
}

/** Returns a function that takes a file or a hunk back and offers to undo that. */
export function useUndoableRevert(conv: string) {
  const { mutate, isPending } = useRevert(conv);
  const done = useUndoToast(conv);
  const say = useToast();
  const run = useCallback(
    (body: RevertChange, words: string) =>
      mutate(body, {
        onSuccess: (rewound) => done(words, rewound, 'files'),
        onError: (error) => say({ tone: 'failed', text: `It was not reverted. ${error.message}` }),
      }),
    [mutate, done, say],
  );
  return { run, isPending };
}

/** Returns a function that goes back to a checkpoint and offers to undo that. */
export function useUndoableRewind(conv: string) {
  const { mutate, isPending, error } = useRewind(conv);
  const done = useUndoToast(conv);
  const run = useCallback(
    (body: Rewind, words: string, then: () => void) =>
      mutate(body, {
        onSuccess: (rewound) => {
          then();
          done(words, rewound, body.what);
        },
      }),
    [mutate, done],
  );
  return { run, isPending, error };
}
