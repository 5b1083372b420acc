import { StopButton } from '../../components/stop-button.js';
import type { Story } from '../story.js';

const mutate = () => undefined;

export const story: Story = {
  title: 'StopButton',
  states: {
    plain: <StopButton title="Where is the port set?" cancel={{ mutate, isPending: false }} of={{}} />,
    stopping: <StopButton title="Where is the port set?" cancel={{ mutate, isPending: true }} of={{}} />,
  },
};
