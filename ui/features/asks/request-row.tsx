import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Caller, RequestRow as Row } from '../../../daemon/contract/asks.js';
import { Flag } from '../../components/flag.js';
import rows from '../../components/rows.module.css';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Ago, Clock, Elapsed } from '../../components/time.js';
import { lengthWords } from '../../lib/time-words.js';
import { citationWords } from './citation-words.js';
import styles from './request-row.module.css';

/** Who asked, as far as it says itself: the first product of its User-Agent. Nothing here is proven. */
export function callerWords({ user_agent }: Caller): string {
  if (!user_agent) return 'unknown program';
  if (user_agent.startsWith('Mozilla/')) return 'a browser';
  return user_agent.split(' ')[0] ?? user_agent;
}

interface RequestRowProps {
  request: Row;
  isExposed: boolean;
  /** Within a list the operator watches: a row that comes while one looks slides in. */
  isArrival?: boolean;
}

/** A logbook line: when, whose flag, what was asked and by whom, how it stands. */
export const RequestRow = memo(function RequestRow({ request, isExposed, isArrival = false }: RequestRowProps) {
  const word = statusWord(request.status, request.error?.code);
  const isOver = request.status === 'done' || request.status === 'error';
  const trouble = word === 'failed' ? rows.trouble : word === 'needs you' ? rows.needs : '';
  return (
    <li className={`${styles.row} ${trouble} ${isArrival ? styles.arrived : ''}`}>
      <span className={styles.time}>
        <Clock at={request.created_at} />
      </span>
      <Flag id={request.member} size={24} isRaised={request.status === 'running'} isExposed={isExposed} />
      <div className={styles.words}>
        <Link
          to="/requests/$rid"
          params={{ rid: request.request_id }}
          className={`${rows.main} truncate`}
          style={{ display: 'block' }}
          data-row=""
        >
          {request.question}
        </Link>
        <p className={`${styles.who} truncate`}>
          {request.member} · asked by {callerWords(request.caller)} · <Ago at={request.created_at} />
          {request.error && word === 'failed' && ` · ${request.error.message}`}
        </p>
      </div>
      <StatusMark word={word} />
      <span className={styles.length}>
        {isOver && request.finished_at ? (
          <span className="mono">{lengthWords(Date.parse(request.finished_at) - Date.parse(request.created_at))}</span>
        ) : (
          <Elapsed since={request.created_at} />
        )}
      </span>
      <span className={styles.cited}>{request.status === 'done' && citationWords(request.citations_checked, request.citations_total)}</span>
    </li>
  );
});
