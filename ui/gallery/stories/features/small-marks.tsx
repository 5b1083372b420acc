import { Price } from '../../../features/agents/price.js';
import { TestMark } from '../../../features/member-tests/test-mark.js';
import { TestsBadge } from '../../../features/member-tests/tests-badge.js';
import type { TestStatus } from '../../../features/member-tests/tests-format.js';
import type { Story } from '../../story.js';

const TEST_STATUSES: Readonly<Record<TestStatus, true>> = {
  passed: true,
  failed: true,
  waiting: true,
  asking: true,
  'not run': true,
};

export const story: Story = {
  title: 'Small marks',
  states: {
    'how a test stands': (
      <span className="cluster">
        {(Object.keys(TEST_STATUSES) as TestStatus[]).map((testStatus) => (
          <TestMark key={testStatus} standing={testStatus} />
        ))}
      </span>
    ),
    'tests of a member': (
      <span className="cluster">
        <TestsBadge tests={{ problem: null, running: false, last_run: null }} />
        <TestsBadge tests={{ problem: null, running: true, last_run: null }} />
        <TestsBadge tests={{ problem: 'It is no YAML.', running: false, last_run: null }} />
      </span>
    ),
    prices: (
      <span className="cluster">
        <Price pricing={null} />
        <Price pricing={{ unit: 'image', amount: 40, currency: 'USD' }} />
        <Price pricing={{ unit: 'plate', amount: 120_000, currency: 'lamports', network: 'solana:local' }} explains />
        <Price pricing={{ unit: 'image', amount: 0, currency: 'free' }} />
      </span>
    ),
  },
};
