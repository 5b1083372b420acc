import type { LedgerSum } from '../../../../daemon/contract/payments.js';
import { KeyValue } from '../../../components/notes.js';
import { Section } from '../../../components/section.js';
import { Amount } from '../amount.js';
import { NetworkMark } from '../network-mark.js';
import styles from '../payments.module.css';

/** The names of the figures, which are the same on both sides of a call. */
const NAMES = {
  spent: { title: 'Calls made', paid: 'Paid', balance: 'Left in balances', owed: 'Owed to agents', net: 'Calls cost' },
  earned: {
    title: 'Calls served',
    paid: 'Received',
    balance: 'Held for callers',
    owed: 'Owed by callers',
    net: 'Calls earned',
  },
} as const;

function getRows(sum: LedgerSum): [string, React.ReactNode][] {
  const names = NAMES[sum.side];
  const figures = [
    [names.paid, sum.paid_lamports],
    ['Refunded as balances', sum.refunded_lamports],
    [names.balance, sum.balance_lamports],
    [names.owed, sum.owed_lamports],
    [names.net, sum.net_lamports],
  ] as const;
  return figures.map(([name, lamports]) => [name, <Amount key={name} lamports={lamports} />]);
}

/** What calls cost and earned on each network. The daemon of the other side shows the same figures. */
export function SumsPanel({ sums }: { sums: LedgerSum[] }) {
  const moved = sums.filter(({ paid_lamports, owed_lamports }) => paid_lamports > 0 || owed_lamports > 0);
  if (moved.length === 0) return null;
  return (
    <Section title="Totals by network" count={moved.length}>
      <ul>
        {moved.map((sum) => (
          <li key={`${sum.side} ${sum.network}`} className={styles.earnings}>
            <p className="cluster">
              <strong>{NAMES[sum.side].title}</strong>
              <NetworkMark network={sum.network} isReal={sum.real} />
            </p>
            <KeyValue rows={getRows(sum)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
