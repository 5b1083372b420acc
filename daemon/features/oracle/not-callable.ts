import type { NotCallable } from '../../contract/network/oracle.js';
import { tier2Url } from '../../lib/agents/tier2-url.js';
import type { CatalogRow } from './catalog-source.js';

const because = (code: NotCallable['code'], message: string): NotCallable => ({ code, message });

/** Returns why this daemon cannot call an agent as things are; empty when it can. */
export function listNotCallable(
  { endpoint, pricing }: Pick<CatalogRow, 'endpoint' | 'pricing'>,
  isOnline: boolean,
  hasWallet: boolean,
): NotCallable[] {
  const reasons: NotCallable[] = [];
  if (endpoint === null || tier2Url(endpoint) === undefined)
    reasons.push(because('no_endpoint', 'It has no endpoint. On the hub it can be sent a message.'));
  if (!isOnline) reasons.push(because('offline', 'It is offline.'));
  return [...reasons, ...listNotPayable(pricing, hasWallet)];
}

function listNotPayable(pricing: CatalogRow['pricing'], hasWallet: boolean): NotCallable[] {
  if (!pricing || pricing.amount === 0 || pricing.currency.toLowerCase() === 'free') return [];
  const { currency } = pricing;
  if (currency.toLowerCase() !== 'lamports')
    return [because('currency_not_payable', `Its price is in ${currency}; calls are paid in lamports.`)];
  return hasWallet
    ? []
    : [because('needs_wallet', 'It costs lamports, and there is no wallet yet: `meshd wallet new main` makes one.')];
}
