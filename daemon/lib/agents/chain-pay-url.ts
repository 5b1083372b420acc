import { formatSol, lamportsOfSol } from '../text/sol-amount.js';

/** The content of a payment URL. */
interface ChainPayment {
  address: string;
  lamports: bigint;
  memo?: string | undefined;
  /** The name of the payee, for display. */
  label?: string | undefined;
}

/**
 * Formats a payment as a URL that wallets open: `solana:<address>?amount=<SOL>&memo=…&label=…`. Spec: Skill call with
 * payment, `chainPayUrl`.
 */
export function chainPayUrl({ address, lamports, memo, label }: ChainPayment): string {
  const query = [
    ['amount', formatSol(lamports)],
    ['memo', memo],
    ['label', label],
  ]
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return `solana:${address}?${query}`;
}

/**
 * Parses a payment URL. Returns undefined when it is not one, has no amount, or asks for another currency
 * (`spl-token`).
 */
export function readChainPayUrl(text: string): ChainPayment | undefined {
  const [, address, query] = /^solana:([1-9A-HJ-NP-Za-km-z]{32,44})\?(.+)$/.exec(text) ?? [];
  if (address === undefined) return undefined;
  const fields = new URLSearchParams(query);
  const lamports = lamportsOfSol(fields.get('amount') ?? '');
  if (lamports === undefined || fields.has('spl-token')) return undefined;
  return { address, lamports, memo: fields.get('memo') ?? undefined, label: fields.get('label') ?? undefined };
}
