import { DecisionQuestion } from '../../components/decision-question.js';
import type { Story } from '../story.js';

const question = {
  asked: '2026-01-01T00:00:00.000Z',
  wait: 'Denied by itself in 4 min.',
  choices: ['once', 'always', 'deny'] as const,
  words: { once: 'Allow once', always: 'Allow in this conversation', deny: 'Deny' },
  choiceOfKey: () => undefined,
  onDecide: () => undefined,
  isPending: false,
};
const what = (
  <>
    Developer asks: <code>bash npm run deploy</code>
  </>
);

export const story: Story = {
  title: 'Decision question',
  states: {
    'in a transcript': (
      <DecisionQuestion {...question} what={what}>
        <p>The tests have passed, so the release can go out.</p>
      </DecisionQuestion>
    ),
    'in a row': <DecisionQuestion {...question} what={what} isInRow isSmall />,
    'being answered': <DecisionQuestion {...question} what={what} isPending />,
  },
};
