import type { ReactNode } from 'react';
import type { PaymentState } from '../../../../daemon/contract/payments.js';
import marks from '../../../components/status-mark.module.css';
import { stateLabels } from '../payment-format.js';
import { formatLife, type PaymentStep } from './payment-life.js';
import styles from './payment-steps.module.css';

const looks: Record<PaymentState, { className: string | undefined; shape: ReactNode }> = {
  waiting: { className: styles.waiting, shape: <path className={marks.solid} d="M8 .5 15.500 8 8 15.500.5 8z" /> },
  challenged: { className: styles.challenged, shape: <circle cx="8" cy="8" r="5.5" /> },
  paid: {
    className: styles.paid,
    shape: (
      <>
        <circle cx="8" cy="8" r="5.5" />
        <path className={marks.solid} d="M8 2.500a5.500 5.500 0 0 1 0 11z" />
      </>
    ),
  },
  settled: { className: styles.settled, shape: <path d="m2 8.500 4 4 8-9.500" /> },
  owed: { className: styles.owed, shape: <path d="M8 2.500 14 13.500H2z" /> },
  refunded: {
    className: styles.ended,
    shape: <path d="M6 3 2.500 6.500 6 10M2.500 6.500h7a3.500 3.500 0 0 1 0 7H7" />,
  },
  failed: { className: styles.failed, shape: <path d="m3 3 10 10M13 3 3 13" /> },
  refused: { className: styles.ended, shape: <path className={marks.solid} d="M2.500 2.500h11v11h-11z" /> },
  expired: {
    className: styles.ended,
    shape: <path d="M3 3.500h10M3 12.500h10M4.500 3.500c0 4 7 5 7 9M11.500 3.500c0 4-7 5-7 9" />,
  },
};

/** A state that is still ahead is a dot. */
function Shape({ state, isAhead = false }: { state: PaymentState; isAhead?: boolean }) {
  return (
    <svg className={marks.shape} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {isAhead ? <circle cx="8" cy="8" r="2.500" /> : looks[state].shape}
    </svg>
  );
}

/** A state as shape and word: no meaning depends on colour alone. */
export function PaymentMark({ state }: { state: PaymentState }) {
  return (
    <span className={`${marks.mark} ${looks[state].className}`}>
      <Shape state={state} />
      {stateLabels[state]}
    </span>
  );
}

/** The stations of a payment on one line, with the word of the current one. */
export function PaymentStepLine({ stations }: { stations: readonly PaymentStep[] }) {
  const now = stations.find(({ at }) => at === 'now');
  if (!now) return null;
  return (
    <span className={marks.mark}>
      <span className="visually-hidden">{formatLife(stations)}</span>
      <span className={styles.line} aria-hidden="true">
        {stations.map(({ state, at }) => (
          <span key={state} className={`${styles.station} ${at === 'now' ? looks[state].className : styles[at]}`}>
            <Shape state={state} isAhead={at === 'ahead'} />
          </span>
        ))}
      </span>
      <span className={looks[now.state].className} aria-hidden="true">
        {stateLabels[now.state]}
      </span>
    </span>
  );
}

/** The stations with all their words, where there is space. */
export function PaymentSteps({ stations }: { stations: readonly PaymentStep[] }) {
  return (
    <ol className={styles.stations} aria-label="Payment states">
      {stations.map(({ state, at, words }) => (
        <li
          key={state}
          className={at === 'now' ? looks[state].className : styles[at]}
          aria-current={at === 'now' ? 'step' : undefined}
        >
          <Shape state={state} isAhead={at === 'ahead'} />
          {words ?? stateLabels[state]}
          {at === 'ahead' && <span className="visually-hidden">, not reached yet</span>}
        </li>
      ))}
    </ol>
  );
}
