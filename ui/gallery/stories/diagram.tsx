import { Diagram } from '../../components/text/diagram.js';
import type { Story } from '../story.js';

const FLOW = `graph LR
  ask[Ask] --> index{In the index?}
  index -->|yes| quote[Quote it]
  index -->|no| none[Not found]`;

const show = (source: string) => (
  <Diagram source={source}>
    <pre>{source}</pre>
  </Diagram>
);

export const story: Story = {
  title: 'Diagram',
  states: {
    flowchart: show(FLOW),
    'a kind that is not drawn': show('pie\n  "a": 1'),
    'too large': show(`graph LR\n  a${' & b'.repeat(20)} --> c`),
  },
};
