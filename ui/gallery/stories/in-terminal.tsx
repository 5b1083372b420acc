import { InTerminal } from '../../components/text/in-terminal.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'In a terminal',
  states: {
    short: <InTerminal command="meshd ask consultant" />,
    long: (
      <InTerminal
        command={`meshd ask consultant "${'Where is the retry of a lamp that does not answer? '.repeat(4)}"`}
      />
    ),
  },
};
