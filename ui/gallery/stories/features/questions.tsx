import type { Approval } from '../../../../daemon/contract/payments.js';
import { PermissionQuestion } from '../../../features/conversations/permission-question.js';
import { ApprovalQuestion } from '../../../features/payments/approval-question.js';
import { permission } from '../../samples.js';
import type { Story } from '../../story.js';

const seconds = Math.floor(Date.now() / 1_000);
const approval: Approval = {
  call_id: 'call-1',
  agent: 'painter',
  skill: 'paint',
  amount_lamports: 40_000_000,
  network: 'solana:local',
  real: false,
  address: '7Yc3vJm5Qq1tX9uQx1Bq2n4pZk8w6Rr3sTt5Uu7VvWw',
  reason: 'More than the cap of 10,000,000 lamports for one call.',
  created_at: seconds - 20,
  expires_at: seconds + 240,
};

export const story: Story = {
  title: 'Questions',
  states: {
    permission: <PermissionQuestion permission={permission} who="Developer" />,
    'permission, small': <PermissionQuestion permission={{ ...permission, reason: '' }} who="Developer" isSmall />,
    'permission, nearly over': (
      <PermissionQuestion
        permission={{ ...permission, expires_at: new Date(Date.now() + 9_000).toISOString() }}
        who="Developer"
      />
    ),
    payment: <ApprovalQuestion approval={approval} />,
    'payment of real money': (
      <ApprovalQuestion approval={{ ...approval, network: 'solana:mainnet', real: true, reason: '' }} />
    ),
  },
};
