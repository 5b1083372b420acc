import { Tooltip } from '../../components/tooltip.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Tooltip',
  states: { 'on hover and on focus': <Tooltip text="Sunday, 22 November 2026, 14:02:11">3 min ago</Tooltip> },
};
