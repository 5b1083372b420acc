import { Ago, Clock, Elapsed } from '../../components/text/time.js';
import { isoAgo } from '../samples.js';
import type { Story } from '../story.js';

export const story: Story = {
  title: 'Time',
  states: { ago: <Ago at={isoAgo(200)} />, clock: <Clock at={isoAgo(200)} />, elapsed: <Elapsed since={isoAgo(75)} /> },
};
