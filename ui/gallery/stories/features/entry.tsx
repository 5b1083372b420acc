import type { RequestRow as Row } from '../../../../daemon/contract/asks.js';
import entry from '../../../components/entry.module.css';
import rows from '../../../components/rows.module.css';
import { RequestRow } from '../../../features/asks/request-row.js';
import { isoAgo, requestRow } from '../../samples.js';
import type { Story } from '../../story.js';

const line = (label: string, changes: Partial<Row> = {}, isExposed = false) => (
  <ul className={rows.rows} aria-label={label}>
    <RequestRow request={requestRow(changes)} isExposed={isExposed} />
  </ul>
);
const running = { finished_at: undefined, created_at: isoAgo(9), collected_at: null };

export const story: Story = {
  title: 'Entry',
  states: {
    answered: line('An answered request'),
    'of an open member': line('A request to an open member', {}, true),
    queued: line('A queued request', { ...running, status: 'queued' }),
    working: line('A request at work', { ...running, status: 'running' }),
    'needs you': line('A request that needs you', { ...running, status: 'needs_input' }),
    failed: line('A failed request', {
      status: 'error',
      error: { code: 'deadline', message: 'It took longer than 20 minutes.' },
    }),
    stopped: line('A stopped request', { status: 'error', error: { code: 'cancelled', message: 'Stopped.' } }),
    'without a name': line('A request of nobody', { caller: { user_agent: null, idempotency_key: null } }),
    'long words': line('A long request', {
      question: 'unbroken'.repeat(40),
      caller: { user_agent: 'x'.repeat(200), idempotency_key: null },
    }),
    bare: (
      <ul className={rows.rows} aria-label="A bare line">
        <li className={entry.entry}>
          <span className={entry.time}>14:02</span>
          <span />
          <span>Words alone</span>
          <span />
          <span className={entry.length}>2 s</span>
          <span className={entry.last}>last word</span>
        </li>
      </ul>
    ),
  },
};
