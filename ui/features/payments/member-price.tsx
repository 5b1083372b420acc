import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Section } from '../../components/section.js';
import { isPaid, listPriceRows } from './card-prices.js';
import styles from './payments.module.css';
import { PriceTerms } from './price-terms.js';

/** What a call of a member costs and how it is paid, according to its file. */
export function MemberPrice({ member }: { member: MemberDetail }) {
  const rows = listPriceRows(member.pricing);
  const isPriced = rows.some(isPaid);
  return (
    <Section
      title="Price"
      actions={
        isPriced && (
          <Link to="/ledger" search={{ agent: member.id, side: 'earned' }}>
            Earnings
          </Link>
        )
      }
    >
      <div className={styles.panel}>
        <PriceTerms rows={rows} payment={isPriced ? (member.payment ?? { modes: ['x402'] }) : undefined} />
        {isPriced && member.exposure === 'internal' && (
          <p className="quiet">It is internal: nobody can call it or pay.</p>
        )}
      </div>
    </Section>
  );
}
