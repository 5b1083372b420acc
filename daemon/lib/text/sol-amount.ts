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
