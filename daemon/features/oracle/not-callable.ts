import type { NotCallable } from '../../contract/network/oracle.js';
import { tier2Url } from '../../lib/agents/tier2-url.js';
import type { CatalogRow } from './catalog-source.js';

/** What this daemon can pay with. */
export interface PayingMeans {
  /** The networks that are configured here. */
  networks: readonly string[];
  hasWallet: boolean;
}

const because = (code: NotCallable['code'], message: string): NotCallable => ({ code, message });

/** Returns the JSON-RPC address variable of a network. */
const getEndpointVariable = (network: string) => `MESHD_SOLANA_${network.replace('solana:', '').toUpperCase()}_URL`;
const KNOWN = /^solana:(devnet|mainnet)$/;

/** Returns why this daemon cannot call an agent as things are; empty when it can. */
export function listNotCallable(
  { endpoint, pricing }: Pick<CatalogRow, 'endpoint' | 'pricing'>,
  isOnline: boolean,
  means: PayingMeans,
): NotCallable[] {
  const reasons: NotCallable[] = [];
  if (endpoint === null || tier2Url(endpoint) === undefined)
    reasons.push(because('no_endpoint', 'It has no endpoint. On the hub it can be sent a message.'));
  if (!isOnline) reasons.push(because('offline', 'It is offline.'));
  return [...reasons, ...listNotPayable(pricing, means)];
}

function listNotPayable(pricing: CatalogRow['pricing'], { networks, hasWallet }: PayingMeans): NotCallable[] {
  if (!pricing || pricing.amount === 0 || pricing.currency.toLowerCase() === 'free') return [];
  const { currency, network } = pricing;
  if (currency.toLowerCase() !== 'lamports')
    return [because('currency_not_payable', `Its price is in ${currency}; calls are paid in lamports.`)];
  if (network !== undefined && !networks.includes(network)) {
    const help = KNOWN.test(network) ? `: set ${getEndpointVariable(network)}` : '';
    return [because('network_not_configured', `Its price is on ${network}, which is not configured here${help}.`)];
  }
  return hasWallet
    ? []
    : [because('needs_wallet', 'It costs lamports, and there is no wallet yet: `meshd wallet new main` makes one.')];
}
