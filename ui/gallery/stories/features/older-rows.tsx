import { OlderRows } from '../../../components/older-rows.js';
import type { Story } from '../../story.js';

const query = { hasNextPage: true, isFetchingNextPage: false, fetchNextPage: () => undefined };
const unit = ['request', 'requests'] as const;

export const story: Story = {
  title: 'Older rows',
  states: {
    'more below': <OlderRows query={query} shown={50} unit={unit} />,
    fetching: <OlderRows query={{ ...query, isFetchingNextPage: true }} shown={50} unit={unit} />,
    'no more': <OlderRows query={{ ...query, hasNextPage: false }} shown={7} unit={unit} />,
  },
};
