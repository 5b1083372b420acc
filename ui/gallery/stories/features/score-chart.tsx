import { ScoreChart } from '../../../features/reputation/score-chart.js';
import type { Chart } from '../../../features/reputation/score-history.js';
import type { Story } from '../../story.js';

const chart: Chart = {
  line: 'M0 50H40V30H70V20H100',
  dots: [
    { seq: 1, x: 40, y: 30, isProven: true },
    { seq: 2, x: 70, y: 20, isProven: false },
  ],
};

export const story: Story = {
  title: 'Score chart',
  states: {
    'with reports': (
      <ScoreChart chart={chart} from={1_790_000_000} until={1_795_000_000} label="The score rises to 0.8." />
    ),
  },
};
