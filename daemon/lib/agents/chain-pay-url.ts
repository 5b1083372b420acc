const DECIMALS = 9;
const SOL = /^(\d{1,11})(?:\.(\d{1,9}))?$/;

/** `lamports` as a decimal amount of SOL, exact: no exponent and no trailing zeros. */
export function formatSol(lamports: bigint | number): string {
  const digits = BigInt(lamports)
    .toString()
    .padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS);
  const part = digits.slice(-DECIMALS).replace(/(?<!0)0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/**
 * Parses a decimal amount of SOL into lamports. Returns undefined when it is not an amount or includes a fraction of a
 * lamport.
 */
export function lamportsOfSol(text: string): bigint | undefined {
  const [, whole, part = ''] = SOL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(DECIMALS, '0'));
}

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
