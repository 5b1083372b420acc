import { Button, type ButtonLook } from '../../components/button.js';
import { Icon } from '../../components/text/icon.js';
import type { Story } from '../story.js';

const inEveryState = (look: ButtonLook) => (
  <div className="cluster">
    <Button look={look}>Ready</Button>
    <Button look={look} isSmall>
      Small
    </Button>
    <Button look={look}>
      <Icon name="plus" />
      With a mark
    </Button>
    <Button look={look} aria-label={`Close, ${look}`}>
      <Icon name="close" />
    </Button>
    <Button look={look} isBusy>
      Busy
    </Button>
    <Button look={look} reasonDisabled="The roster needs this member.">
      Off, with its reason
    </Button>
    <Button look={look} disabled>
      Disabled
    </Button>
  </div>
);

export const story: Story = {
  title: 'Button',
  states: {
    secondary: inEveryState('secondary'),
    primary: inEveryState('primary'),
    danger: inEveryState('danger'),
    quiet: inEveryState('quiet'),
  },
};
