import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import type { AskRecord } from '../../../daemon/contract/asks.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Elapsed } from '../../components/text/time.js';
import { useDraft } from '../../lib/drafts.js';
import { formatReason } from '../../lib/format/format-reason.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { Answer, AnswerBeingWritten } from './answer.js';
import { AnswerKind } from './answer-kind.js';
import styles from './ask-box.module.css';
import { ask, collect } from './ask-through-door.js';
import { useCancelRequest } from './asks-mutations.js';
import { requestQuery } from './asks-queries.js';
import { Citations } from './citations.js';

interface AskBoxProps {
  /** Draft key of the question. */
  place: string;
  member: { id: string; name: string };
  /** Returns the member's token when the question is sent. */
  token: () => string | Promise<string>;
  question: string;
  askWords?: string;
}

/** Asks a member with its token, as any other program does, and shows the request live. */
export function AskBox({ place, member, token, question, askWords = 'Ask' }: AskBoxProps) {
  const text = useDraft(place, question);
  const [asked, setAsked] = useState<{ rid: string; token: string }>();
  const [error, setError] = useState<unknown>();
  const [isSending, setIsSending] = useState(false);

  const send = async () => {
    setIsSending(true);
    setError(undefined);
    try {
      const bearer = await token();
      const accepted = await ask(member.id, bearer, { text: text.value.trim() });
      setAsked({ rid: accepted.request_id, token: bearer });
    } catch (refusal) {
      setError(refusal);
    } finally {
      setIsSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.value.trim() !== '' && !isSending) void send();
  };
  return (
    <div className={styles.box}>
      <form className={styles.line} onSubmit={submit}>
        <TextArea
          label={`Question for ${member.name}`}
          hidesLabel
          rows={2}
          maxLength={16_384}
          value={text.value}
          onChange={(event) => text.set(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event);
          }}
        />
        <Button
          look="primary"
          type="submit"
          isBusy={isSending}
          reasonDisabled={text.value.trim() ? undefined : 'Write a question first.'}
        >
          {askWords}
        </Button>
      </form>
      {error !== undefined && <ErrorPanel what="The question was not sent." error={error} />}
      {asked && <LiveRequest key={asked.rid} rid={asked.rid} token={asked.token} />}
    </div>
  );
}

/** A request from acceptance to answer, polled with the caller's token. */
function LiveRequest({ rid, token }: { rid: string; token: string }) {
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
      <div className={styles.state}>
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
      <AnswerKind confidence={record.confidence} searched={record.searched} />
      {record.result_text !== undefined && (
        <Answer cited={{ rid }} text={record.result_text} citations={record.citations} />
      )}
      {record.citations && record.citations.length > 0 && <Citations cited={{ rid }} citations={record.citations} />}
      {record.status === 'done' && record.client === 'builtin' && (
        <p className="small quiet">
          Answered locally without a model. <Link to="/system">See available models</Link>
        </p>
      )}
      {lost !== undefined && !isOver && (
        <ErrorPanel what="The answer cannot be shown here; the request continues." error={lost} />
      )}
    </div>
  );
}
