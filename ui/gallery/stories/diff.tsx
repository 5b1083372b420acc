import { Diff } from '../../components/text/diff.js';
import type { Story } from '../story.js';

const BEFORE = Array.from({ length: 24 }, (_, at) => `line ${at + 1}`).join('\n');
const AFTER = BEFORE.replace('line 3\n', 'line three, reworded\n').replace('line 20\n', '').concat('\nline 25');

export const story: Story = {
  title: 'Diff',
  states: {
    changed: <Diff label="Changes" before={BEFORE} after={AFTER} sameWords="As on disk." />,
    'the same': <Diff label="No changes" before={BEFORE} after={BEFORE} sameWords="As on disk." />,
  },
};
