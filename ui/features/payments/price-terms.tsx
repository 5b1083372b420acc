import type { PaymentDeclaration } from '../../../daemon/contract/payments.js';
import type { PricingRow } from '../../../daemon/contract/team.js';
import { KeyValue } from '../../components/notes.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatLamports, formatSol } from '../../lib/format/lamports.js';
import { formatPrice } from '../agents/price-format.js';
import { Address } from './address.js';
import { isPaid } from './card-prices.js';
import { NetworkMark } from './network-mark.js';
import { declarationLines, LOCAL_NETWORK } from './payment-format.js';
import styles from './payments.module.css';

interface PriceTermsProps {
  rows: readonly PricingRow[];
  payment?: Partial<PaymentDeclaration> | undefined;
}

/** The prices of a call, row by row, and how it is paid. */
export function PriceTerms({ rows, payment }: PriceTermsProps) {
  const network = typeof payment?.network === 'string' ? payment.network : undefined;
  const wallet = typeof payment?.wallet === 'string' ? payment.wallet : undefined;
  return (
    <div className={styles.terms}>
      {rows.length === 0 ? (
        <p className="quiet">No price is named.</p>
      ) : (
        <ul className={styles.prices} aria-label="Prices">
          {rows.map((row) => (
            <li key={JSON.stringify(row)}>
              <PriceRow row={row} network={network} />
            </li>
          ))}
        </ul>
      )}
      {payment && rows.some(isPaid) && (
        <KeyValue
          rows={[
            ...declarationLines(payment).map(([name, said]) => [name, toDisplayText(said)] as const),
            wallet !== undefined && [
              'Paid to',
              <span key="wallet" className={styles.copied}>
                <Address address={wallet} />
                <CopyButton look="quiet" text={wallet} />
              </span>,
            ],
          ]}
        />
      )}
    </div>
  );
}

function PriceRow({ row, network }: { row: PricingRow; network: string | undefined }) {
  const { unit, amount, tier } = row;
  if (!isPaid(row)) {
    return (
      <>
        {toDisplayText(formatPrice(row))}
        {tier !== undefined && <span className="quiet"> for the tier {toDisplayText(tier)}</span>}
      </>
    );
  }
  const where = row.network ?? network ?? LOCAL_NETWORK;
  return (
    <span className="cluster">
      <span>
        <strong>{formatSol(amount)}</strong> <span className={styles.lamports}>{formatLamports(amount)}</span> per{' '}
        {toDisplayText(unit)}
        {tier !== undefined && <span className="quiet"> for the tier {toDisplayText(tier)}</span>}
      </span>
      <NetworkMark network={where} isReal={where === 'solana:mainnet'} />
    </span>
  );
}
