import type { PaymentState } from '../../../../daemon/contract/payments.js';
import { Amount } from '../../../features/payments/amount.js';
import { STATES } from '../../../features/payments/ledger/ledger-search.js';
import { listStations } from '../../../features/payments/ledger/payment-life.js';
import { PaymentMark, PaymentStepLine, PaymentSteps } from '../../../features/payments/ledger/payment-steps.js';
import { NetworkMark } from '../../../features/payments/network-mark.js';
import type { Story } from '../../story.js';

const life = (state: PaymentState) =>
  listStations({ kind: 'call', mode: 'x402', side: 'spent', state, signature: 'x' });

export const story: Story = {
  title: 'Payment marks',
  states: {
    amount: <Amount lamports={5_000} />,
    'amount, large': <Amount lamports={1_499_995_000} isLarge />,
    networks: (
      <span className="cluster">
        <NetworkMark network="solana:local" isReal={false} />
        <NetworkMark network="solana:mainnet" isReal />
      </span>
    ),
    states: (
      <span className="cluster">
        {STATES.map((state) => (
          <PaymentMark key={state} state={state} />
        ))}
      </span>
    ),
    'in a row': (
      <ul className="stack">
        {STATES.map((state) => (
          <li key={state}>
            <PaymentStepLine stations={life(state)} />
          </li>
        ))}
      </ul>
    ),
    'with every word': <PaymentSteps stations={life('challenged')} />,
  },
};
