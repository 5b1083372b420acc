import { Citations } from '../../../features/asks/citations.js';
import { citation } from '../../samples.js';
import type { Story } from '../../story.js';

export const story: Story = {
  title: 'Citations',
  states: {
    'checked, moved, dropped': (
      <Citations
        cited={{ rid: 'req-1' }}
        citations={[citation('checked'), citation('moved', 80), { ...citation('dropped', 200), quote: '' }]}
      />
    ),
  },
};
