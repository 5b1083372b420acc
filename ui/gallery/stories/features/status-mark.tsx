import { StatusMark, type StatusWord } from '../../../components/status-mark.js';
import type { Story } from '../../story.js';

const WORDS: readonly StatusWord[] = ['queued', 'working', 'needs you', 'answered', 'failed', 'stopped'];

export const story: Story = {
  title: 'Status mark',
  states: {
    ...Object.fromEntries(WORDS.map((word) => [word, <StatusMark key={word} word={word} />])),
    'without their words': (
      <span className="cluster">
        {WORDS.map((word) => (
          <StatusMark key={word} word={word} hidesWord />
        ))}
      </span>
    ),
  },
};
