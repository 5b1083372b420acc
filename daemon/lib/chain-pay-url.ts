const DECIMALS = 9;
const SOL = /^(\d{1,11})(?:\.(\d{1,9}))?$/;

/** `lamports` as SOL, exactly: no exponent, no needless zeros. */
export function solOf(lamports: bigint | number): string {
  const digits = BigInt(lamports)
    .toString()
    .padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS);
  const part = digits.slice(-DECIMALS).replace(/(?<!0)0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/** The lamports of an amount of SOL as people write it, or undefined for what is none or has a part of a lamport. */
export function lamportsOfSol(text: string): bigint | undefined {
  const [, whole, part = ''] = SOL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(DECIMALS, '0'));
}

/** What a payment address asks for. */
export interface ChainPayment {
  address: string;
  lamports: bigint;
  memo?: string | undefined;
  /** Who is paid, for people. */
  label?: string | undefined;
}

/** A payment as an address that wallets open: `solana:<address>?amount=<SOL>&memo=…&label=…`. Spec: Skill call with payment, `chainPayUrl`. */
export function chainPayUrl({ address, lamports, memo, label }: ChainPayment): string {
  const query = [
    ['amount', solOf(lamports)],
    ['memo', memo],
    ['label', label],
  ]
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return `solana:${address}?${query}`;
}

/** What a payment address asks for, or undefined when it is none that can be paid as it stands: without an amount, or in another currency. */
export function readChainPayUrl(text: string): ChainPayment | undefined {
  const [, address, query] = /^solana:([1-9A-HJ-NP-Za-km-z]{32,44})\?(.+)$/.exec(text) ?? [];
  if (address === undefined) return undefined;
  const fields = new URLSearchParams(query);
  const lamports = lamportsOfSol(fields.get('amount') ?? '');
  if (lamports === undefined || fields.has('spl-token')) return undefined;
  return { address, lamports, memo: fields.get('memo') ?? undefined, label: fields.get('label') ?? undefined };
}
