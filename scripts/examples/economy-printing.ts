import type { Call } from '../../daemon/contract/payments.js';
import type { Check, OnChain } from './economy-checks.js';

export const say = (line = '') => console.log(line);

interface Composite {
  tweet: string;
  char_count: number;
  image: string;
  supplier: { agent_id: string; latency_ms: number };
  economics: { earned: number; spent: number; profit: number };
  reputation_filed: { ok: boolean; score: number | null };
}

export function printCall(number: number, call: Call): void {
  if (call.state !== 'done') {
    say(`  ${number}. ${call.state}: ${call.error?.message ?? call.reason ?? ''}`);
    return;
  }
  const { tweet, image, supplier, economics, reputation_filed } = call.result as Composite;
  const picture = `${Math.round((image.length * 3) / 4 / 1024)} kB picture by ${supplier.agent_id} in ${supplier.latency_ms} ms`;
  const rated = reputation_filed.ok ? `rated ${reputation_filed.score?.toFixed(2)}` : 'not rated';
  say(
    `  ${number}. ${call.mode}: paid ${call.amount_lamports}, ${picture}, ${rated}; profit ` +
      `${economics.profit}. “${tweet}”`,
  );
}

/** Prints the entries of a ledger, summed up by kind, mode and state. */
export function printLedger(
  title: string,
  entries: readonly { kind?: unknown; mode?: unknown; state?: unknown; amount_lamports?: unknown }[],
): void {
  const rows = new Map<string, { count: number; lamports: number }>();
  for (const { kind, mode, state, amount_lamports } of entries) {
    const key = `${String(kind)} ${String(mode ?? '')} ${String(state)}`;
    const row = rows.get(key) ?? { count: 0, lamports: 0 };
    rows.set(key, { count: row.count + 1, lamports: row.lamports + Number(amount_lamports) });
  }
  say(`\n${title}`);
  for (const [key, row] of [...rows].sort())
    say(`  ${key.padEnd(28)} ${String(row.count).padStart(4)}  ${row.lamports.toLocaleString('en').padStart(12)}`);
}

/** Prints each comparison. Returns whether all values are equal. */
export function printChecks(checks: readonly Check[]): boolean {
  say('\nTo the lamport:');
  for (const { what, here, there } of checks)
    say(
      `  ${here === there ? 'ok  ' : 'FAIL'} ${what}: ` +
        `${here.toLocaleString('en')}${here === there ? '' : ` and ${there.toLocaleString('en')}`}`,
    );
  return checks.every(({ here, there }) => here === there);
}

/** Prints the balances on the chain and the fees, by party. */
export function printBalances(wallets: Readonly<Record<string, OnChain>>): void {
  say('\nOn the chain:');
  for (const [name, wallet] of Object.entries(wallets))
    say(
      `  ${name.padEnd(9)} ${wallet.lamports.toLocaleString('en').padStart(14)}   fees ` +
        `${wallet.fees.toLocaleString('en')}`,
    );
}
