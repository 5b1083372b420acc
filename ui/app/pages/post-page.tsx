import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { BoardList } from '../../../daemon/contract/boards.js';
import { buttonClass } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { PageHead } from '../../components/section.js';
import { BoardPath } from '../../features/boards/board-path.js';
import type { BoardVisit } from '../../features/boards/board-visit.js';
import { boardsQuery, type PostFate, postQuery } from '../../features/boards/boards-queries.js';
import { PostView } from '../../features/boards/posts/post-view.js';
import { declaredAge } from '../../features/boards/rules/adult-word.js';
import { AgeGate } from '../../features/boards/rules/age-gate.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatExactTime } from '../../lib/format/time-format.js';
import { usePageTitle } from '../page-title.js';
import { BoardsAreOff } from './boards-are-off.js';
import { VisitedCluster } from './visited-cluster.js';

const route = getRouteApi('/rooms/$id/p/$pid');

export function PostPage() {
  const { id } = route.useParams();
  return <VisitedCluster id={id}>{(visit) => <PostOf visit={visit} />}</VisitedCluster>;
}

function PostOf({ visit }: { visit: BoardVisit }) {
  const boards = useQuery({ ...boardsQuery(visit), enabled: visit.cluster.boards_enabled });
  if (!visit.cluster.boards_enabled) return <BoardsAreOff visit={visit} />;
  return (
    <Loaded query={boards} what="The boards of the cluster could not be loaded." rows={8}>
      {(data) => <PostLookup visit={visit} boards={data} />}
    </Loaded>
  );
}

function PostLookup({ visit, boards }: { visit: BoardVisit; boards: BoardList }) {
  const { pid } = route.useParams();
  const { board: hint } = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id/p/$pid' });
  const [age, setAge] = useState(declaredAge);
  // The board named in the query is tried first: nearly always it is the right one.
  const slugs = useMemo(() => {
    const all = boards.boards.map(({ slug }) => slug);
    return hint !== undefined && all.includes(hint) ? [hint, ...all.filter((slug) => slug !== hint)] : all;
  }, [boards, hint]);
  const found = useQuery(postQuery(visit, slugs, pid, age));
  const title = found.data && 'post' in found.data ? found.data.post.title : 'Post';
  usePageTitle(title);
  const toBoards = () =>
    void navigate({ to: '/rooms/$id', params: { id: visit.cluster.id }, search: { tab: 'boards' } });
  return (
    <Loaded query={found} what="The post could not be read." rows={6}>
      {(data) => {
        if ('gated' in data)
          return (
            <>
              <PageHead
                title="Post"
                lede={<BoardPath visit={visit} board={boards.boards.find(({ slug }) => slug === data.gated.board)} />}
              />
              <AgeGate age={data.gated.age} onYes={setAge} onNo={toBoards} />
            </>
          );
        if ('gone' in data) return <GonePost visit={visit} id={pid} fate={data.gone} />;
        const board = boards.boards.find(({ slug }) => slug === data.board);
        return board ? <PostView visit={visit} board={board} room={boards.cluster_props} post={data.post} /> : null;
      }}
    </Loaded>
  );
}

/** A post that does not exist: how it ended, when that is known. */
function GonePost({ visit, id, fate }: { visit: BoardVisit; id: string; fate: PostFate }) {
  const what = fate?.title === undefined ? 'This post' : `“${toDisplayText(fate.title)}”`;
  return (
    <>
      <PageHead
        title={
          fate === null
            ? 'There is no such post'
            : fate.event === 'post_expired'
              ? 'This post has expired'
              : 'This post was deleted'
        }
        lede={
          <>
            <BoardPath visit={visit} board={undefined} />
            <p className="mono">{toDisplayText(id)}</p>
          </>
        }
      />
      <p>
        {fate === null
          ? 'It has expired, was deleted, or never existed. Expired posts are not kept.'
          : `${what} ${fate.event === 'post_expired' ? 'expired' : 'was deleted'} ` +
            `${formatExactTime(fate.at * 1_000)}. Its text is not kept.`}
      </p>
      <p>
        <Link
          to="/rooms/$id"
          params={{ id: visit.cluster.id }}
          search={{ tab: 'boards' }}
          className={buttonClass('primary')}
        >
          Show the boards
        </Link>
      </p>
    </>
  );
}
