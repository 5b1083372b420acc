import { Meter } from '../../components/meter.js';
import type { Story } from '../story.js';

const at = (value: number) => (
  <p className="cluster">
    <span className="mono">{value}</span>
    <Meter value={value} />
  </p>
);

export const story: Story = { title: 'Meter', states: { empty: at(0), some: at(0.37), full: at(1) } };
