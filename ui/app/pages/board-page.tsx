import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { Board, Post } from '../../../daemon/contract/boards.js';
import type { Props } from '../../../daemon/contract/clusters.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { PageHead } from '../../components/section.js';
import { Icon } from '../../components/text/icon.js';
import { useToast } from '../../components/toasts.js';
import { kindLabels, ttlLabels } from '../../features/boards/board-format.js';
import { BoardPosts } from '../../features/boards/board-posts.js';
import { type BoardSearch, readBoardSearch } from '../../features/boards/board-search.js';
import type { BoardVisit } from '../../features/boards/board-visit.js';
import styles from '../../features/boards/boards.module.css';
import { boardsQuery } from '../../features/boards/boards-queries.js';
import { DeleteBoard } from '../../features/boards/delete-board.js';
import { EditBoardDialog } from '../../features/boards/edit-board-dialog.js';
import { PostForm } from '../../features/boards/posts/post-form.js';
import { declaredAge } from '../../features/boards/rules/adult-word.js';
import { AgeGate } from '../../features/boards/rules/age-gate.js';
import { type BoardRules, getBoardRules, getRequiredAge } from '../../features/boards/rules/board-rules.js';
import { RulesList } from '../../features/boards/rules/rules-list.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePageTitle } from '../page-title.js';
import { BoardsAreOff } from './boards-are-off.js';
import { MissingPage } from './missing-page.js';
import { VisitedCluster } from './visited-cluster.js';

const route = getRouteApi('/rooms/$id/b/$slug');

export function BoardPage() {
  const { id } = route.useParams();
  return <VisitedCluster id={id}>{(visit) => <BoardOf visit={visit} />}</VisitedCluster>;
}

function BoardOf({ visit }: { visit: BoardVisit }) {
  const { slug } = route.useParams();
  const boards = useQuery({ ...boardsQuery(visit), enabled: visit.cluster.boards_enabled });
  usePageTitle(boards.data?.boards.find((one) => one.slug === slug)?.name ?? `#${slug}`);
  if (!visit.cluster.boards_enabled) return <BoardsAreOff visit={visit} />;
  return (
    <Loaded query={boards} what="The board could not be read." rows={8}>
      {({ boards: all, cluster_props }) => {
        const board = all.find((one) => one.slug === slug || one.id === slug);
        return board ? (
          <BoardView key={board.id} visit={visit} board={board} room={cluster_props} />
        ) : (
          <MissingPage title="There is no such board" name={`#${slug}`} to="/rooms" words="Show the clusters">
            It was deleted by the admin of {toDisplayText(visit.cluster.name)}, or the address is mistyped.
          </MissingPage>
        );
      }}
    </Loaded>
  );
}

function BoardView({ visit, board, room: clusterProps }: { visit: BoardVisit; board: Board; room: Props | null }) {
  const said = route.useSearch();
  const search = useMemo(() => readBoardSearch({ ...said }), [said]);
  const navigate = useNavigate({ from: '/rooms/$id/b/$slug' });
  const [age, setAge] = useState(declaredAge);
  const [isEditing, setIsEditing] = useState(false);
  const change = useCallback(
    (changed: BoardSearch) =>
      void navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  const rules = useMemo(() => getBoardRules(board.props, clusterProps), [board.props, clusterProps]);
  const asked = getRequiredAge(rules);
  const isGated = asked !== undefined && age < asked;
  const { id } = visit.cluster;
  const toBoards = () => void navigate({ to: '/rooms/$id', params: { id }, search: { tab: 'boards' } });
  const posted = usePosted(() => change({ make: undefined }));
  return (
    <>
      <BoardHead
        visit={visit}
        board={board}
        rules={rules}
        onPost={isGated ? undefined : () => change({ make: 'post' })}
        onEdit={() => setIsEditing(true)}
        onDeleted={toBoards}
      />
      {isGated ? (
        <AgeGate age={asked} onYes={setAge} onNo={toBoards} />
      ) : (
        <BoardPosts
          visit={visit}
          board={board}
          rules={rules}
          search={search}
          isAdult={asked !== undefined}
          onChange={change}
          onAdult={setAge}
          onYoung={toBoards}
        />
      )}
      {search.make === 'post' && !isGated && (
        <PostForm
          visit={visit}
          board={board}
          rules={rules}
          isAdult={asked !== undefined}
          onAdult={setAge}
          onClose={() => change({ make: undefined })}
          onPosted={posted}
        />
      )}
      {isEditing && (
        <EditBoardDialog visit={visit} board={board} room={clusterProps} onClose={() => setIsEditing(false)} />
      )}
    </>
  );
}

/** Returns a function that closes the form of a new post and says how long the post stays. */
function usePosted(close: () => void): (post: Post) => void {
  const say = useToast();
  return ({ ttl }) => {
    close();
    say({ text: ttl === 'forever' ? 'Posted. It does not expire.' : `Posted. It expires in ${ttlLabels[ttl]}.` });
  };
}

interface BoardHeadProps {
  visit: BoardVisit;
  board: Board;
  rules: BoardRules;
  /** Undefined while the board asks for the age of its reader. */
  onPost: (() => void) | undefined;
  onEdit: () => void;
  onDeleted: () => void;
}

function BoardHead({ visit, board, rules, onPost, onEdit, onDeleted }: BoardHeadProps) {
  return (
    <PageHead
      title={board.name}
      lede={
        <div className={styles.head}>
          <p className="cluster small">
            <Link to="/rooms/$id" params={{ id: visit.cluster.id }} search={{ tab: 'boards' }}>
              {toDisplayText(visit.cluster.name)}
            </Link>
            <span className="mono quiet">#{board.slug}</span>
            <Badge>{kindLabels[board.kind]}</Badge>
          </p>
          {board.about !== '' && <p className={styles.charter}>{toDisplayText(board.about)}</p>}
          <RulesList rules={rules} />
        </div>
      }
      actions={
        <>
          {onPost && (
            <Button look="primary" onClick={onPost}>
              <Icon name="plus" />
              Post
            </Button>
          )}
          {visit.adminToken !== undefined && (
            <>
              <Button onClick={onEdit}>Edit</Button>
              <DeleteBoard visit={visit} board={board} onDeleted={onDeleted} />
            </>
          )}
        </>
      }
    />
  );
}
