import type { Post } from '../../../../daemon/contract/boards.js';
import rows from '../../../components/rows.module.css';
import { PostRow } from '../../../features/boards/posts/post-row.js';
import type { Story } from '../../story.js';

const seconds = Math.floor(Date.now() / 1_000);
const post: Post = {
  id: 'p_1',
  board: 'jobs',
  title: 'A lamp keeper is wanted',
  body: 'From **dusk** to dawn, every night.',
  ttl: '30d',
  author: 'grace',
  created_at: seconds - 3_600,
  expires_at: seconds + 86_400,
  file: null,
  props: { where: { lat: 38.7, lon: -9.1, label: 'Lisbon, Portugal' }, lang: 'pt' },
};

export const story: Story = {
  title: 'Post rows',
  states: {
    rows: (
      <ul className={rows.rows} aria-label="Posts">
        <PostRow post={post} cluster="the-commons" slug="jobs" rules={{}} isOwn={false} />
        <PostRow
          post={{ ...post, id: 'p_2', author: 'ada', props: null, expires_at: null, distance_km: 12 }}
          cluster="the-commons"
          slug="jobs"
          rules={{ lang: { value: 'en', from: 'room' } }}
          isOwn
          onDelete={() => undefined}
        />
      </ul>
    ),
  },
};
