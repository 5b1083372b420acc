import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { shownWords } from '../../lib/shown-words.js';
import styles from './payments.module.css';
import { isPaid, rowsOf } from './price-of.js';
import { PriceTerms } from './price-terms.js';

/** What a call of a member costs and how it is paid, as its file says; and what of that does not serve. */
export function MemberPrice({ member }: { member: MemberDetail }) {
  const rows = rowsOf(member.pricing);
  const isPriced = rows.some(isPaid);
  const broken = (member.warnings ?? []).filter(({ path }) => /^(pricing|payment)(\.|$)/.test(path));
  return (
    <Section
      title="Price"
      actions={
        isPriced && (
          <Link to="/ledger" search={{ agent: member.id, side: 'earned' }}>
            What it earned
          </Link>
        )
      }
    >
      <div className={styles.panel}>
        {broken.length > 0 && (
          <Notice tone="failed">
            <p>
              <strong>The price is not asked for as it stands.</strong>
            </p>
            <ul>
              {broken.map(({ path, reason }) => (
                <li key={path}>{shownWords(reason)}</li>
              ))}
            </ul>
          </Notice>
        )}
        <PriceTerms rows={rows} payment={isPriced ? (member.payment ?? { modes: ['x402'] }) : undefined} />
        {isPriced && member.exposure === 'internal' && <p className="quiet">Its door is closed: nobody can call it, and nobody pays.</p>}
      </div>
    </Section>
  );
}
