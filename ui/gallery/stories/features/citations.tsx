import { AnswerKind } from '../../../features/asks/answer-kind.js';
import { Citations } from '../../../features/asks/citations.js';
import { citation } from '../../samples.js';
import type { Story } from '../../story.js';

export const story: Story = {
  title: 'Citations',
  states: {
    'checked, moved, changed, dropped': (
      <Citations
        cited={{ rid: 'req-1' }}
        citations={[
          citation('checked'),
          { ...citation('moved', 80), given: { start_line: 60, end_line: 92, commit: null, status: 'checked' } },
          citation('changed', 140),
          { ...citation('dropped', 200), quote: '' },
        ]}
      />
    ),
    'an answer that was found': <AnswerKind confidence="found" searched={{ files: 1_204, left_out: 0 }} />,
    'one that is probably here': <AnswerKind confidence="likely" searched={{ files: 1_204, left_out: 12 }} />,
    'one that was not found': <AnswerKind confidence="none" searched={{ files: 1, left_out: 0 }} />,
  },
};
