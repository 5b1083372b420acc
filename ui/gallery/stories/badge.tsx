import { Badge, OpenBadge } from '../../components/badge.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Badge',
  states: {
    plain: <Badge>one conversation at a time</Badge>,
    outside: <Badge tone="outside">from outside</Badge>,
    failed: <Badge tone="failed">broken</Badge>,
    'needs you': <Badge tone="needs">blocked by tests</Badge>,
    well: <Badge tone="well">2 conversations</Badge>,
    open: <OpenBadge />,
  },
};
