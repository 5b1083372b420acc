import { Loaded } from '../../../components/loaded.js';
import { ApiError } from '../../../lib/api.js';
import type { Story } from '../../story.js';

const state = { data: undefined, error: null, isPending: false, refetch: () => undefined };
const what = 'The team could not be loaded.';

export const story: Story = {
  title: 'Loaded',
  states: {
    'has an answer': (
      <Loaded query={{ ...state, data: '9 members' }} what={what}>
        {(words: string) => <p>{words}</p>}
      </Loaded>
    ),
    loading: (
      <Loaded query={{ ...state, isPending: true }} what={what} rows={3}>
        {() => null}
      </Loaded>
    ),
    failed: (
      <Loaded
        query={{
          ...state,
          error: new ApiError(500, 'internal', 'The daemon failed. It has logged why.', { id: 'err-1f3c' }),
        }}
        what={what}
      >
        {() => null}
      </Loaded>
    ),
  },
};
