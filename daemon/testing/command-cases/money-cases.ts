import { expect } from 'vitest';
import type { CommandCase, Desk } from './command-case.js';

const text = expect.any(String);

/** Calls the seller, whose price is above the caps, and returns the id of the waiting call. */
async function aWaitingCall({ meshd, kept: known }: Desk): Promise<[string]> {
  const { call_id } = JSON.parse((await meshd(['call', known['url'] ?? '', 'paint', '--json'])).out) as {
    call_id: string;
  };
  return [call_id];
}

/** Cases that need a selling agent, and caps that require approval for every payment. */
export const MONEY: readonly CommandCase[] = [
  {
    command: 'wallet new',
    args: () => ['savings'],
    out: /^[1-9A-HJ-NP-Za-km-z]{32,44}\n$/,
    err: /not real money/,
    json: { name: 'savings', lamports: 0 },
  },
  {
    command: 'wallet fund',
    args: () => ['savings', '--sol', '0.5'],
    out: 'savings holds 0.5 SOL now.\n',
    err: /not real money/,
    json: { lamports: 1_000_000_000 },
  },
  {
    command: 'wallet show',
    args: () => ['savings'],
    out: /^WALLET +ADDRESS.*\nsavings .* 1 SOL\n$/,
    err: /not real money/,
    json: { count: 1, wallets: [{ name: 'savings' }] },
    keep: ({ wallets }: { wallets: { address: string }[] }, { kept: known }) =>
      Object.assign(known, { address: wallets[0]?.address }),
  },
  {
    command: 'wallet pay',
    args: ({ kept: known }) => [known['address'] ?? '', '--lamports', '500', '--from', 'savings'],
    out: /^[1-9A-HJ-NP-Za-km-z]{64,88}\n$/,
    err: /^Paid 0\.0000005 SOL on solana:local/,
    json: { signature: text, wallet: { name: 'savings' } },
  },
  {
    command: 'call',
    args: ({ kept: known }) => [known['url'] ?? '', 'paint'],
    exit: 9,
    out: '',
    err: /needs your approval: .*meshd approve call-/,
    json: { state: 'waiting', reason: text },
  },
  { command: 'approvals', exit: 9, out: /^CALL +AGENT.*\ncall-/, err: /call-\S+: /, json: { count: 2 } },
  {
    command: 'approve',
    args: aWaitingCall,
    out: /^\{\n {2}"painted": null\n\}\n$/,
    err: /lamports by \S+ on solana:local \(not real money\)/,
    json: { state: 'done', result: { painted: null } },
  },
  {
    command: 'deny',
    args: aWaitingCall,
    out: /^call-\S+ is not paid\.\n$/,
    json: { state: 'failed', error: { code: 'denied' } },
  },
  {
    command: 'ledger',
    rows: 'entries',
    out: /^WHEN \(UTC\) +SIDE.*\n(.*\n)*.*spent +call /,
    err: /^Earned .*\nCalls cost 10,000 lamports on solana:local .*\nCaps: 0 lamports a payment/m,
    json: { entries: expect.any(Array), caps: { per_call_lamports: 0 } },
  },
  { command: 'settle', out: '', err: 'Nothing is owed.\n', json: { settled: [], failed: [] } },
];
