import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import type { Board, Post, PostList } from '../../../daemon/contract/boards.js';
import type { Props } from '../../../daemon/contract/clusters.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import rows from '../../components/rows.module.css';
import { PageHead } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { Skeleton } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { declaredAge } from '../../features/boards/adult-word.js';
import { AgeGate } from '../../features/boards/age-gate.js';
import { Agenda } from '../../features/boards/agenda.js';
import { BoardFilters, useNearPlace } from '../../features/boards/board-filters.js';
import { askedAge, type BoardRules, rulesOf } from '../../features/boards/board-rules.js';
import type { BoardSearch } from '../../features/boards/board-search.js';
import type { BoardVisit } from '../../features/boards/board-visit.js';
import { kindWords, ttlWords } from '../../features/boards/board-words.js';
import styles from '../../features/boards/boards.module.css';
import { boardsQuery, isGate, postsQuery } from '../../features/boards/boards-queries.js';
import { DeleteBoard } from '../../features/boards/delete-board.js';
import { EditBoardDialog } from '../../features/boards/edit-board-dialog.js';
import { mayDelete, useDeletePost, usePostDeletions } from '../../features/boards/post-deletions.js';
import { PostForm } from '../../features/boards/post-form.js';
import { DeletionRow, PostRow } from '../../features/boards/post-row.js';
import { RulesList } from '../../features/boards/rules-list.js';
import { fetched } from '../../lib/fetched.js';
import { usePages } from '../../lib/pages.js';
import { shownWords } from '../../lib/shown-words.js';
import { usePageTitle } from '../page-title.js';
import { BoardsAreOff } from './boards-are-off.js';
import { MissingPage } from './missing-page.js';
import { VisitedCluster } from './visited-cluster.js';

const BoardMap = fetched(() => import('../../features/boards/board-map.js'), <Skeleton rows={6} />);

const route = getRouteApi('/rooms/$id/b/$slug');
const rowsOf = (page: PostList) => page.posts;

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
          <MissingPage title="There is no such board" name={`#${slug}`} to="/rooms" words="Show the rooms">
            It was deleted by the admin of {shownWords(visit.cluster.name)}, or the address is mistyped.
          </MissingPage>
        );
      }}
    </Loaded>
  );
}

function BoardView({ visit, board, room }: { visit: BoardVisit; board: Board; room: Props | null }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id/b/$slug' });
  const say = useToast();
  const [age, setAge] = useState(declaredAge);
  const [isEditing, setIsEditing] = useState(false);
  const change = useCallback(
    (changed: BoardSearch) => void navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  const rules = rulesOf(board.props, room);
  const asked = askedAge(rules);
  const isGated = asked !== undefined && age < asked;
  const { cluster } = visit;
  const toBoards = () => void navigate({ to: '/rooms/$id', params: { id: cluster.id }, search: { tab: 'boards' } });
  return (
    <>
      <PageHead
        title={board.name}
        lede={
          <div className={styles.head}>
            <p className="cluster small">
              <Link to="/rooms/$id" params={{ id: cluster.id }} search={{ tab: 'boards' }}>
                {shownWords(cluster.name)}
              </Link>
              <span className="mono quiet">#{board.slug}</span>
              <Badge>{kindWords[board.kind]}</Badge>
            </p>
            {board.about !== '' && <p className={styles.charter}>{shownWords(board.about)}</p>}
            <RulesList rules={rules} />
          </div>
        }
        actions={
          <>
            {!isGated && (
              <Button look="primary" onClick={() => change({ make: 'post' })}>
                <Icon name="plus" />
                Post
              </Button>
            )}
            {visit.adminToken !== undefined && (
              <>
                <Button onClick={() => setIsEditing(true)}>Edit</Button>
                <DeleteBoard visit={visit} board={board} onDeleted={toBoards} />
              </>
            )}
          </>
        }
      />
      {isGated ? (
        <AgeGate age={asked} onYes={setAge} onNo={toBoards} />
      ) : (
        <Posts
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
          onPosted={(post) => {
            change({ make: undefined });
            say({ text: post.ttl === 'forever' ? 'Posted. It has no end.' : `Posted. It stays for ${ttlWords[post.ttl]}.` });
          }}
        />
      )}
      {isEditing && <EditBoardDialog visit={visit} board={board} room={room} onClose={() => setIsEditing(false)} />}
    </>
  );
}

interface PostsProps {
  visit: BoardVisit;
  board: Board;
  rules: BoardRules;
  search: BoardSearch;
  isAdult: boolean;
  onChange: (changed: BoardSearch) => void;
  onAdult: (age: number) => void;
  onYoung: () => void;
}

/** The posts that fit the filters: as a list, on the map, or by day. */
function Posts({ visit, board, rules, search, isAdult, onChange, onAdult, onYoung }: PostsProps) {
  const { place, isReading, isUnknown } = useNearPlace(search.near);
  const near = place && `${place.lat},${place.lon}`;
  const filter = { near, km: near === undefined ? undefined : search.km, lang: search.lang };
  const { query, all } = usePages({ ...postsQuery(visit, board.id, filter, isAdult), enabled: !isReading }, rowsOf);
  const remove = useDeletePost(visit);
  const deletions = usePostDeletions();
  const show = search.show === 'agenda' && board.kind !== 'events' ? undefined : search.show;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // A map and an agenda are whole or wrong: they are read to the end.
  useEffect(() => {
    if (show !== undefined && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [show, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const row = (post: Post) => {
    const deletion = deletions.get(post.id);
    return deletion ? (
      <DeletionRow key={post.id} deletion={deletion} />
    ) : (
      <PostRow
        key={post.id}
        post={post}
        cluster={visit.cluster.id}
        slug={board.slug}
        rules={rules}
        onDelete={mayDelete(visit, post) ? remove : undefined}
      />
    );
  };
  if (isGate(query.error)) return <AgeGate age={Number(query.error.body?.['age_min'] ?? 18)} onYes={onAdult} onNo={onYoung} />;
  const isFiltered = near !== undefined || search.lang !== undefined;
  const views = [undefined, 'map', ...(board.kind === 'events' ? (['agenda'] as const) : [])] as const;
  const words = { list: 'List', map: 'Map', agenda: 'Agenda' } as const;
  return (
    <div className="stack">
      <BoardFilters search={search} onChange={onChange} />
      <nav aria-label="Posts" className={segments.segments}>
        {views.map((view) => (
          <Link
            key={view ?? 'list'}
            from="/rooms/$id/b/$slug"
            to="."
            search={(was) => ({ ...was, show: view })}
            resetScroll={false}
            className={segments.segment}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={show === view ? 'page' : undefined}
          >
            {words[view ?? 'list']}
          </Link>
        ))}
      </nav>
      {isUnknown ? (
        <EmptyState action={<Button onClick={() => onChange({ near: undefined, km: undefined })}>Search everywhere</Button>}>
          The gazetteer has no place “{shownWords(search.near ?? '')}”. Choose one from the suggestions.
        </EmptyState>
      ) : (
        <Loaded query={query} what="The posts could not be read." rows={6}>
          {() => (
            <>
              <p role="status" className="visually-hidden">
                {query.isPlaceholderData ? 'Searching' : `${all.length} posts${query.hasNextPage ? ', and more' : ''}`}
              </p>
              {all.length > 0 ? (
                <>
                  <div className={show === 'map' ? styles.withMap : undefined}>
                    {show === 'map' && (
                      <div className={styles.map}>
                        <ErrorBoundary what="The map could not be drawn.">
                          <BoardMap
                            posts={all}
                            rules={rules}
                            at={search.at}
                            onAt={(at) => onChange({ at })}
                            postLink={({ id }, look) => (
                              <Link
                                to="/rooms/$id/p/$pid"
                                params={{ id: visit.cluster.id, pid: id }}
                                search={{ board: board.slug }}
                                {...look}
                              />
                            )}
                            closerLink={(at, look) => (
                              <Link from="/rooms/$id/b/$slug" to="." search={(was) => ({ ...was, at })} resetScroll={false} {...look} />
                            )}
                          />
                        </ErrorBoundary>
                      </div>
                    )}
                    {show === 'agenda' ? (
                      <Agenda posts={all} row={row} />
                    ) : (
                      <ul className={rows.rows} aria-label="Posts of the board" aria-busy={query.isPlaceholderData}>
                        {all.map(row)}
                      </ul>
                    )}
                  </div>
                  <OlderRows query={query} shown={all.length} />
                </>
              ) : (
                <NoPosts
                  visit={visit}
                  board={board}
                  near={place?.label}
                  isFiltered={isFiltered}
                  onClear={() => onChange({ near: undefined, km: undefined, lang: undefined })}
                  onPost={() => onChange({ make: 'post' })}
                />
              )}
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

function NoPosts({
  visit,
  board,
  near,
  isFiltered,
  onClear,
  onPost,
}: {
  visit: BoardVisit;
  board: Board;
  near: string | undefined;
  isFiltered: boolean;
  onClear: () => void;
  onPost: () => void;
}) {
  if (isFiltered)
    return (
      <EmptyState action={<Button onClick={onClear}>Clear the filters</Button>}>
        No post fits these filters.
        {near !== undefined && ' Posts at no place are found by no distance.'}
        {board.posts > 0 && ` The board has ${board.posts === 1 ? '1 post' : `${board.posts} posts`}.`}
      </EmptyState>
    );
  return (
    <EmptyState
      command={`meshd post new ${visit.cluster.slug ?? visit.cluster.id} ${board.slug} "Title" --as ${visit.handle}`}
      action={
        <Button look="primary" onClick={onPost}>
          Post
        </Button>
      }
    >
      Nothing is pinned here yet. A post stays until it expires, and every member of the room can read it.
    </EmptyState>
  );
}
