import { TypedDeletion } from '../../../components/typed-deletion.js';
import { ApiError } from '../../../lib/api.js';
import type { Story } from '../../story.js';

const deletion = {
  title: 'Delete harbour-master',
  word: 'harbour-master',
  isMono: true,
  confirmLabel: 'Delete it',
  failure: 'It could not be deleted.',
  error: null,
  isPending: false,
  onDelete: () => undefined,
  children: 'Its file goes from the team; git keeps what was committed.',
};

export const story: Story = {
  title: 'Typed deletion',
  states: {
    ready: <TypedDeletion {...deletion} label="Delete" />,
    small: <TypedDeletion {...deletion} label="Delete, small" isSmall />,
    'kept from it': (
      <TypedDeletion {...deletion} label="Delete, kept from it" reasonDisabled="The roster needs this member." />
    ),
    refused: (
      <TypedDeletion
        {...deletion}
        label="Delete, refused"
        error={new ApiError(409, 'conflict', 'It is at work in a conversation.')}
      />
    ),
    pending: <TypedDeletion {...deletion} label="Delete, under way" isPending />,
  },
};
