import { PlainProse, Prose } from '../../components/text/prose.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Prose',
  states: {
    plain: <PlainProse text={'Two lamps are **dark**.\n\nSee `src/dusk.ts`.'} />,
    Markdown: <Prose text={'Two lamps are **dark**.\n\nSee `src/dusk.ts`.'} />,
  },
};
