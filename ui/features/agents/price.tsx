import type { Pricing } from '../../../daemon/contract/agents.js';
import { shownWords } from '../../lib/shown-words.js';
import { currencyNote, priceTerms, priceWords } from './price-words.js';

/** What a call costs, as the agent says itself; `explains` says in words what lamports are, where there is room for it. */
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
