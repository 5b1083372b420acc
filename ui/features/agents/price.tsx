import type { PricingRow } from '../../../daemon/contract/team.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { currencyNote, formatPrice, priceTerms } from './price-format.js';

/**
 * The price of a call as the agent states it. With `explains`, the note about lamports is text instead of a tooltip.
 */
export function Price({ pricing, explains = false }: { pricing: PricingRow | null | undefined; explains?: boolean }) {
  if (!pricing) return <span className="quiet">no price</span>;
  const terms = priceTerms(pricing);
  const note = currencyNote(pricing);
  return (
    <span title={explains ? undefined : note}>
      {toDisplayText(formatPrice(pricing))}
      {terms && <span className="quiet"> ({toDisplayText(terms)})</span>}
      {explains && note !== undefined && <span className="quiet small"> {note}</span>}
    </span>
  );
}
