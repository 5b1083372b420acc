import { memo, type ReactNode } from 'react';
import type { RequestRow as Row } from '../../../daemon/contract/asks.js';
import entry from '../../components/entry.module.css';
import rows from '../../components/rows.module.css';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Ago, Clock, Elapsed } from '../../components/text/time.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { formatCaller } from './caller-format.js';
import { formatCitation, KIND_LABELS } from './citation-format.js';
import { RequestHead } from './request-head.js';
import styles from './request-row.module.css';

const StopRequest = fetched(() => import('./stop-request.js'));

interface RequestRowProps {
  request: Row;
  isExposed: boolean;
  /** The row arrived while the list was shown, and slides in. */
  isArrival?: boolean;
  /** What is being done for it, added to the second line. */
  doing?: ReactNode;
  /** Position (from 0) and length of the list, when only a part of it is rendered. */
  at?: number;
  of?: number;
}

/** A row of the requests list: time, flag, question, caller and state. */
export const RequestRow = memo(function RequestRow({
  request,
  isExposed,
  isArrival = false,
  doing,
  at,
  of,
}: RequestRowProps) {
  const word = statusWord(request.status, request.error?.code);
  const isOver = request.status === 'done' || request.status === 'error';
  const trouble = word === 'failed' ? rows.trouble : word === 'needs you' ? rows.needs : '';
  return (
    <li
      className={`${entry.entry} ${trouble} ${isArrival ? styles.arrived : ''}`}
      data-at={at}
      aria-posinset={at === undefined ? undefined : at + 1}
      aria-setsize={of}
    >
      <span className={entry.time}>
        <Clock at={request.created_at} />
      </span>
      <RequestHead request={request} isRaised={request.status === 'running'} isExposed={isExposed}>
        {request.member} · asked by {formatCaller(request.caller)}
        {isOver && (
          <>
            {' · '}
            <Ago at={request.created_at} />
          </>
        )}
        {request.rating && ` · you rated it ${request.rating === 'up' ? 'good' : 'bad'}`}
        {request.error && word === 'failed' && ` · ${request.error.message}`}
        {doing}
      </RequestHead>
      <StatusMark word={word} />
      <span className={entry.length}>
        {isOver && request.finished_at ? (
          <span className="mono">
            {formatDuration(Date.parse(request.finished_at) - Date.parse(request.created_at))}
          </span>
        ) : (
          <Elapsed since={request.created_at} />
        )}
      </span>
      {isOver ? (
        <span className={entry.last}>
          {request.status === 'done' &&
            (request.confidence === undefined || request.confidence === 'found'
              ? formatCitation(request.citations_checked, request.citations_total)
              : KIND_LABELS[request.confidence])}
        </span>
      ) : (
        <span className={entry.act}>
          <StopRequest rid={request.request_id} question={toDisplayText(request.question)} />
        </span>
      )}
    </li>
  );
});
