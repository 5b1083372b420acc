import { CopyButton } from '../../components/text/copy-button.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Copy button',
  states: {
    plain: <CopyButton text="copied words" />,
    named: <CopyButton text="copied words" label="Copy error id" />,
    quiet: <CopyButton text="copied words" look="quiet" />,
  },
};
