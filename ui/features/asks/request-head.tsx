import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestRow } from '../../../daemon/contract/asks.js';
import rows from '../../components/rows.module.css';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './request-row.module.css';

interface RequestHeadProps {
  request: RequestRow;
  isRaised: boolean;
  isExposed: boolean;
  /** The second line, below the question. */
  children: ReactNode;
}

/** The head of a row about an ask: the member's flag, and the question as the link of the row. */
export function RequestHead({ request, isRaised, isExposed, children }: RequestHeadProps) {
  return (
    <>
      <Flag id={request.member} isRaised={isRaised} isExposed={isExposed} />
      <div className={styles.words}>
        <Link
          to="/requests/$rid"
          params={{ rid: request.request_id }}
          className={`${rows.main} ${styles.question} truncate`}
          data-row=""
        >
          {toDisplayText(request.question)}
        </Link>
        <p className={`${styles.who} truncate`}>{children}</p>
      </div>
    </>
  );
}
