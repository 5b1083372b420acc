import { Button } from '../../components/button.js';
import { PageHead, Section } from '../../components/section.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Section',
  states: {
    'head of a page': (
      <PageHead title="Requests" lede="Asks from outside, live." actions={<Button look="primary">New</Button>} />
    ),
    plain: <Section title="Examples">What it is about.</Section>,
    'with a count and an act': (
      <Section title="Wallets" count={3} actions={<Button isSmall>New wallet</Button>}>
        Three of them.
      </Section>
    ),
  },
};
