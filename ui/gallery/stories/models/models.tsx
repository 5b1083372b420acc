import type { ClientTest } from '../../../../daemon/contract/clients.js';
import { NoModelLine } from '../../../features/models/no-model-notice.js';
import { TestOutcome } from '../../../features/models/test-and-use.js';
import type { Story } from '../../story.js';

const test = (given: Partial<ClientTest>): ClientTest => ({
  test: 'test-0123456789abcdef',
  client: 'acp',
  state: 'running',
  stage: 'starting',
  answer: '',
  reason: null,
  limit_seconds: 60,
  started_at: '2026-11-22T10:00:00.000Z',
  ms: 1_240,
  ...given,
});

export const story: Story = {
  title: 'Models',
  states: {
    'none connected': <NoModelLine />,
    'none connected, on Home': <NoModelLine onHide={() => undefined} />,
    'none connected, hidden on Home': <NoModelLine isShort />,
    'none connected, a member that works': <NoModelLine isWorker />,
    'test runs': <TestOutcome test={test({})} />,
    'test passed': <TestOutcome test={test({ state: 'passed', stage: 'ended', answer: 'ready' })} />,
    'test failed': (
      <TestOutcome
        test={test({
          state: 'failed',
          stage: 'ended',
          reason: 'Nothing answers at http://127.0.0.1:11434: start its program (for Ollama: `ollama serve`).',
        })}
      />
    ),
    'test stopped': <TestOutcome test={test({ state: 'cancelled', stage: 'ended' })} />,
  },
};
