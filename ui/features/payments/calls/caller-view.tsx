import { useQuery } from '@tanstack/react-query';
import { CodeBlock } from '../../../components/text/code-block.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { isPaid } from '../card-prices.js';
import { formatNetwork, freeTierByLabels } from '../payment-format.js';
import styles from '../payments.module.css';
import { walletsQuery } from '../payments-queries.js';
import { type PricingText, parsePricing } from '../pricing-values.js';
import { paidCallCommands, priceSentence } from './caller-format.js';

/** What a caller of this member sees: the 402 in words, and the commands that pay it. */
export function CallerView({ member, values: { prices, payment } }: { member: string; values: PricingText }) {
  const own = useQuery(walletsQuery()).data?.find(({ name }) => name === 'main')?.address;
  const row = (parsePricing(prices) ?? []).find(isPaid);
  if (!row) return null;
  const network = row.network ?? (payment.network || 'solana:local');
  const address = payment.wallet.trim() || own;
  const free = Number(payment.free_calls);
  return (
    <div className={styles.seen}>
      <h2>What a caller sees</h2>
      {free > 0 && (
        <p>
          {free.toLocaleString('en-US')} {free === 1 ? 'call' : 'calls'} a day are free{' '}
          {freeTierByLabels[payment.free_by as 'pubkey'] ?? toDisplayText(payment.free_by)}. After that:
        </p>
      )}
      {payment.modes.includes('x402') || payment.modes.length === 0 ? (
        <p>
          A call without payment is answered <strong>402</strong>: {priceSentence(row.amount, address)}{' '}
          {formatNetwork(network, network === 'solana:mainnet')}.
        </p>
      ) : (
        <p>
          A call without a deposit key is answered <strong>402</strong>. The caller opens a balance at /v1/topup and
          sends the key with each call.
        </p>
      )}
      <CodeBlock
        label="From 402 to 200"
        text={paidCallCommands(
          window.location.origin,
          member,
          payment.modes.includes('x402') || payment.modes.length === 0,
        )}
        wraps
      />
    </div>
  );
}
