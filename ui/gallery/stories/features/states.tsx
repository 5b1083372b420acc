import { ErrorPanel, Skeleton } from '../../../components/states.js';
import { ApiError } from '../../../lib/api.js';
import type { Story } from '../../story.js';

const error = (status: number, code: string, message: string) => (
  <ErrorPanel
    what="The request could not be read."
    error={new ApiError(status, code, message)}
    onRetry={() => undefined}
  />
);

export const story: Story = {
  title: 'States',
  states: {
    loading: <Skeleton rows={4} />,
    'failed, not there': error(404, 'not_found', 'There is no request req-1.'),
    'failed, not allowed': error(403, 'forbidden', 'That needs the admin token.'),
    'failed, with an id': (
      <ErrorPanel
        what="The ledger could not be read."
        error={new ApiError(500, 'internal', 'The daemon failed. It has logged why.', { id: 'err-1f3c' })}
        onRetry={() => undefined}
      />
    ),
    'failed to draw': (
      <ErrorPanel what="This panel could not be drawn." error={new Error('undefined is not a function')} />
    ),
  },
};
