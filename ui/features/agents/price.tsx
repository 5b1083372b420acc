import type { Pricing } from '../../../daemon/contract/agents.js';
import { shownWords } from '../../lib/shown-words.js';
import { currencyNote, priceTerms, priceWords } from './price-words.js';

/**
 * The price of a call as the agent states it. With `explains`, the note about lamports is text instead of a tooltip.
 */
export function Price({ pricing, explains = false }: { pricing: Pricing | null | undefined; explains?: boolean }) {
  if (!pricing) return <span className="quiet">no price</span>;
  const terms = priceTerms(pricing);
  const note = currencyNote(pricing);
  return (
    <span title={explains ? undefined : note}>
      {shownWords(priceWords(pricing))}
      {terms && <span className="quiet"> ({shownWords(terms)})</span>}
      {explains && note !== undefined && <span className="quiet small"> {note}</span>}
    </span>
  );
}
