import { DeletionRow, PendingDeletion } from '../../../components/pending-deletion.js';
import rows from '../../../components/rows.module.css';
import { type Deletion, DeletionCancel } from '../../../lib/deletions.js';
import type { Story } from '../../story.js';

const calledOff = new DeletionCancel();
calledOff.hadFocus = true;
const deletion: Deletion = { of: 'conv-0', title: 'The sixth lamp', at: 0, calledOff };

export const story: Story = {
  title: 'PendingDeletion',
  states: {
    'in a list': (
      <ul className={rows.rows}>
        <DeletionRow deletion={deletion} />
      </ul>
    ),
    'on its own page': <PendingDeletion deletion={deletion} what="This conversation" />,
  },
};
