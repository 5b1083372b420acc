import type { RequestDetail } from '../../../daemon/contract/asks.js';
import { EmptyState, Notice } from '../../components/notes.js';
import { formatReason } from '../../lib/format/format-reason.js';
import { Answer, AnswerBeingWritten } from './answer.js';
import { AnswerKind } from './answer-kind.js';

/** The answer of a request so far, or why there is none. */
export function AnswerSoFar({ request }: { request: RequestDetail }) {
  if (request.status === 'done') {
    return request.result_text ? (
      <>
        <AnswerKind
          confidence={request.confidence}
          searched={request.searched}
          isUnquoted={!request.citations?.length}
        />
        <Answer cited={{ rid: request.request_id }} text={request.result_text} citations={request.citations} />
      </>
    ) : (
      <EmptyState>The member returned no text.</EmptyState>
    );
  }
  if (request.status === 'error') {
    return (
      <>
        <Notice tone={request.error?.code === 'cancelled' ? 'info' : 'failed'}>
          <p>{request.error ? formatReason(request.error.message) : 'It ended without an answer.'}</p>
          {request.error && (
            <p className="small">
              Code <span className="mono">{request.error.code}</span>
            </p>
          )}
        </Notice>
        {request.result_text && (
          <Answer cited={{ rid: request.request_id }} text={request.result_text} citations={request.citations} />
        )}
      </>
    );
  }
  if (request.status === 'needs_input') {
    return (
      <Notice tone="needs">
        <p>The member needs a permission. A request from outside waits 60 s and is then denied.</p>
      </Notice>
    );
  }
  return (
    <>
      <AnswerBeingWritten conv={request.conv} />
      <p className="quiet">
        {request.status === 'queued'
          ? request.queue_position && request.queue_position > 1
            ? `${request.queue_position - 1} before it.`
            : 'Next in line.'
          : request.progress
            ? `${request.progress.stage}: ${request.progress.done} of ${request.progress.total}.`
            : 'Streaming.'}
      </p>
    </>
  );
}
