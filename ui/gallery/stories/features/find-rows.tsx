import type { FoundAgent } from '../../../../daemon/contract/network/oracle.js';
import rows from '../../../components/rows.module.css';
import { FindRow } from '../../../features/find/find-row.js';
import type { Story } from '../../story.js';

const painter: FoundAgent = {
  agent_id: 'painter',
  endpoint: 'https://painter.example/',
  description: 'Paints a picture of any harbour, in oil or ink.',
  tags: ['image', 'art', 'oil', 'ink', 'sea', 'ships', 'geo:NO'],
  pricing: { unit: 'image', amount: 40, currency: 'USD' },
  protocols: ['http', 'a2a'],
  online: true,
  oracle_score: 0.83,
  promoted: true,
  why: {
    ...{ text: 0.7, semantic: 0.9, capability: 1, reputation: 0.8 },
    ...{ response_rate: 0.75, asked: 4, message_through: 2, promoted: 0.02 },
  },
};

export const story: Story = {
  title: 'Find rows',
  states: {
    rows: (
      <ol className={rows.rows} aria-label="Found agents">
        <FindRow agent={painter} place={1} hasQuery />
        <FindRow
          agent={{
            ...painter,
            agent_id: 'a-silent-one',
            description: null,
            tags: [],
            pricing: null,
            protocols: [],
            online: false,
            promoted: undefined,
            why: undefined,
            oracle_score: 0.04,
          }}
          place={2}
          hasQuery={false}
        />
      </ol>
    ),
  },
};
