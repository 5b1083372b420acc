import type { StreamResponse, TaskStatus } from '@a2a-js/sdk';
import type { Ask } from '../asks/ask-store.js';
import { createAnswerArtifact, getContextId, textPart, wholeAnswer } from './task-view.js';

const named = (ask: Ask) => ({ taskId: ask.request_id, contextId: getContextId(ask), metadata: undefined });

export const statusUpdate = (ask: Ask, status: TaskStatus): StreamResponse => ({
  payload: { $case: 'statusUpdate', value: { ...named(ask), status } },
});

/** A piece of the answer as it is written. The first one creates the artifact. */
export const answerPiece = (ask: Ask, text: string, hasBegun: boolean): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: { ...named(ask), artifact: createAnswerArtifact([textPart(text)]), append: hasBegun, lastChunk: false },
  },
});

/** The final answer, verified and with its citations. It replaces the pieces shown while it was written. */
export function* finalAnswer(ask: Ask): Generator<StreamResponse> {
  const artifact = wholeAnswer(ask);
  if (artifact)
    yield { payload: { $case: 'artifactUpdate', value: { ...named(ask), artifact, append: false, lastChunk: true } } };
}
