import { PresenceMark } from '../../../components/presence-mark.js';
import type { Story } from '../../story.js';

export const story: Story = {
  title: 'Presence mark',
  states: {
    online: <PresenceMark isOnline />,
    offline: <PresenceMark isOnline={false} />,
    'of a daemon': <PresenceMark isOnline words={['present', 'absent']} />,
    'without its word': (
      <span className="cluster">
        <PresenceMark isOnline hidesWord /> <PresenceMark isOnline={false} hidesWord />
      </span>
    ),
  },
};
