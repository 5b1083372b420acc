import { OutsideLink } from '../../components/text/outside-link.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Outside link',
  states: {
    'leads to the web': <OutsideLink address="https://painter.example/agent" />,
    'leads nowhere': <OutsideLink address="javascript:alert(1)" />,
  },
};
