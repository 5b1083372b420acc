import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { AskRecord } from '../../../../daemon/contract/asks.js';
import { Button } from '../../../components/button.js';
import { ErrorPanel } from '../../../components/states.js';
import { StatusMark, statusWord } from '../../../components/status-mark.js';
import { Elapsed } from '../../../components/text/time.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatReason } from '../../../lib/format/format-reason.js';
import { formatDuration } from '../../../lib/format/time-format.js';
import { Answer, AnswerBeingWritten } from '../answer.js';
import { AnswerKind } from '../answer-kind.js';
import { useCancelRequest } from '../asks-mutations.js';
import { requestQuery } from '../asks-queries.js';
import { Citations } from '../citations.js';
import { collect } from './ask-as-program.js';
import styles from './ask-box.module.css';

interface LiveRequestProps {
  rid: string;
  token: string;
  /** Shown above the answer. */
  question?: string | undefined;
}

/** A request from acceptance to answer, polled with the caller's token. */
export default function LiveRequest({ rid, token, question }: LiveRequestProps) {
  const { data: detail, error } = useQuery(requestQuery(rid));
  const [collected, setCollected] = useState<AskRecord>();
  const [lost, setLost] = useState<unknown>();
  const cancel = useCancelRequest();
  useEffect(() => {
    const leaving = new AbortController();
    collect(rid, token, leaving.signal).then(setCollected, (reason) => {
      if (!leaving.signal.aborted) setLost(reason);
    });
    return () => leaving.abort();
  }, [rid, token]);

  const record = collected ?? detail;
  if (!record) return error ? <ErrorPanel what="The request could not be read." error={error} /> : null;
  const isOver = record.status === 'done' || record.status === 'error';
  return (
    <div className={styles.outcome}>
      {question !== undefined && <p className={styles.asked}>{toDisplayText(question)}</p>}
      <div className="cluster">
        <span role="status">
          <StatusMark word={statusWord(record.status, record.error?.code)} />
        </span>
        {isOver && record.finished_at ? (
          <span className="mono">{formatDuration(Date.parse(record.finished_at) - Date.parse(record.created_at))}</span>
        ) : (
          <Elapsed since={record.created_at} />
        )}
        {record.progress && !isOver && (
          <span className="quiet">
            {record.progress.stage} {record.progress.done}/{record.progress.total}
          </span>
        )}
        <Link to="/requests/$rid" params={{ rid }} className="mono small">
          {rid}
        </Link>
        {!isOver && (
          <Button look="quiet" isSmall isBusy={cancel.isPending} onClick={() => cancel.mutate(rid)}>
            Stop
          </Button>
        )}
      </div>
      {!isOver && <AnswerBeingWritten conv={record.conv} />}
      {record.error && <p>{formatReason(record.error.message)}</p>}
      <AnswerKind {...record} isUnquoted={record.status === 'done' && !record.citations?.length} />
      {record.result_text !== undefined && (
        <Answer cited={{ rid }} text={record.result_text} citations={record.citations} />
      )}
      {record.citations && record.citations.length > 0 && <Citations cited={{ rid }} citations={record.citations} />}
      {record.status === 'done' && record.client === 'builtin' && (
        <p className="small quiet">
          Answered locally without a model. <Link to="/models">Connect a model</Link>
        </p>
      )}
      {lost !== undefined && !isOver && (
        <ErrorPanel what="The answer cannot be shown here; the request continues." error={lost} />
      )}
    </div>
  );
}
