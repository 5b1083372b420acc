import { ExactAgo } from '../../components/text/exact-ago.js';
import { isoAgo } from '../samples.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Exact ago',
  states: {
    now: <ExactAgo at={isoAgo(2)} />,
    minutes: <ExactAgo at={isoAgo(200)} />,
    days: <ExactAgo at={isoAgo(400_000)} />,
  },
};
