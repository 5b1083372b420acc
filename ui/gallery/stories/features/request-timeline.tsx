import { RequestTimeline } from '../../../features/asks/timeline.js';
import { isoAgo, requestDetail } from '../../samples.js';
import type { Story } from '../../story.js';

const open = { finished_at: undefined, collected_at: null };

export const story: Story = {
  title: 'Request timeline',
  states: {
    collected: <RequestTimeline request={requestDetail()} />,
    'at work': <RequestTimeline request={requestDetail({ ...open, status: 'running' })} />,
    'queued, nobody asks for it': (
      <RequestTimeline
        request={requestDetail({ ...open, status: 'queued', started_at: undefined, created_at: isoAgo(90), polls: [] })}
      />
    ),
  },
};
