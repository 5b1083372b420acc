import { formatSol as solText } from '../../../daemon/lib/text/sol-amount.js';

const DECIMALS = 9;
const SOL = /^(\d{1,9})(?:\.(\d{1,9}))?$/;
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Formats as `5,000 lamports`. */
export const formatLamports = (lamports: number): string =>
  `${grouped.format(lamports)} ${lamports === 1 ? 'lamport' : 'lamports'}`;

/** Formats lamports as `0.000005 SOL`. */
export const formatSol = (lamports: number): string => `${solText(lamports)} SOL`;

/**
 * Parses an amount of SOL and returns lamports. Returns undefined when the text is not an amount, has a fraction of a
 * lamport, or exceeds a safe integer.
 */
export function lamportsOfSol(text: string): number | undefined {
  const [, whole, part = ''] = SOL.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : safe(BigInt(whole + part.padEnd(DECIMALS, '0')));
}

/** Parses a whole number of lamports, with or without commas. Returns undefined for anything else. */
export function lamportsIn(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  return /^\d{1,16}$/.test(digits) ? safe(BigInt(digits)) : undefined;
}

function safe(amount: bigint): number | undefined {
  return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : undefined;
}
