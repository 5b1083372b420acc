import { BreakableText } from '../../components/text/breakable-text.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'LongWords',
  states: {
    short: <BreakableText text="Two lamps are dark." />,
    'a long run': (
      <p style={{ overflowWrap: 'anywhere' }}>
        <BreakableText text={'WAVE'.repeat(150)} />
      </p>
    ),
  },
};
