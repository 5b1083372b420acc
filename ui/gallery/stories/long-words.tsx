import { LongWords } from '../../components/long-words.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'LongWords',
  states: {
    short: <LongWords text="Two lamps are dark." />,
    'a long run': (
      <p style={{ overflowWrap: 'anywhere' }}>
        <LongWords text={'WAVE'.repeat(150)} />
      </p>
    ),
  },
};
