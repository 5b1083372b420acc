import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Board, Post, PostList } from '../../../daemon/contract/boards.js';
import { Button } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import { DeletionRow } from '../../components/pending-deletion.js';
import rows from '../../components/rows.module.css';
import segments from '../../components/segments.module.css';
import { Skeleton } from '../../components/states.js';
import { viewLink } from '../../components/view-link.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePages } from '../../lib/pages.js';
import { BoardFilters, useNearPlace } from './board-filters.js';
import type { BoardSearch } from './board-search.js';
import type { BoardVisit } from './board-visit.js';
import styles from './boards.module.css';
import { isGate, postsQuery } from './boards-queries.js';
import { Agenda } from './posts/agenda.js';
import { mayDelete, useDeletePost, usePostDeletions } from './posts/post-deletions.js';
import { PostRow } from './posts/post-row.js';
import { AgeGate } from './rules/age-gate.js';
import type { BoardRules } from './rules/board-rules.js';

const BoardMap = fetched(() => import('./board-map.js'), <Skeleton rows={6} />);

const viewLabels = { list: 'List', map: 'Map', agenda: 'Agenda' } as const;

const listRows = (page: PostList) => page.posts;

interface BoardPostsProps {
  visit: BoardVisit;
  board: Board;
  rules: BoardRules;
  search: BoardSearch;
  isAdult: boolean;
  onChange: (changed: BoardSearch) => void;
  onAdult: (age: number) => void;
  onYoung: () => void;
}

/** The posts of the board that match the filters of the search. */
function useFoundPosts({
  visit,
  board,
  search,
  isAdult,
}: Pick<BoardPostsProps, 'visit' | 'board' | 'search' | 'isAdult'>) {
  const { place, isReading, isUnknown, hasFailed } = useNearPlace(search.near);
  const near = place && `${place.lat},${place.lon}`;
  const filter = { near, km: near === undefined ? undefined : search.km, lang: search.lang };
  const pages = usePages(
    { ...postsQuery(visit, board.id, filter, isAdult), enabled: !isReading && !hasFailed },
    listRows,
  );
  return { ...pages, place, isUnknown, hasFailed, isFiltered: near !== undefined || search.lang !== undefined };
}

/** Returns a function that renders a post of a list: its row, or its deletion while that can be undone. */
function usePostRow({ visit, board, rules }: Pick<BoardPostsProps, 'visit' | 'board' | 'rules'>) {
  const remove = useDeletePost(visit);
  const deletions = usePostDeletions();
  return (post: Post) => {
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
        isOwn={post.author === visit.handle}
        onDelete={mayDelete(visit, post) ? remove : undefined}
      />
    );
  };
}

/** The posts that match the filters, as a list, on the map, or by day. */
export function BoardPosts({ visit, board, rules, search, isAdult, onChange, onAdult, onYoung }: BoardPostsProps) {
  const { query, all, place, isUnknown, hasFailed, isFiltered } = useFoundPosts({ visit, board, search, isAdult });
  const row = usePostRow({ visit, board, rules });
  const show = search.show === 'agenda' && board.kind !== 'events' ? undefined : search.show;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // A map and an agenda need all posts, so every page is read.
  useEffect(() => {
    if (show !== undefined && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [show, hasNextPage, isFetchingNextPage, fetchNextPage]);

  if (isGate(query.error))
    return <AgeGate age={Number(query.error.details['age_min'] ?? 18)} onYes={onAdult} onNo={onYoung} />;
  return (
    <div className="stack">
      <BoardFilters search={search} onChange={onChange} />
      <ViewLinks show={show} isOfEvents={board.kind === 'events'} />
      {isUnknown || hasFailed ? (
        <EmptyState
          action={<Button onClick={() => onChange({ near: undefined, km: undefined })}>Search everywhere</Button>}
        >
          {hasFailed
            ? 'The list of places could not be loaded, so no post is looked for near one. Reload the page.'
            : `No place named “${toDisplayText(search.near ?? '')}”. Choose one from the suggestions.`}
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
                  <PostsInView
                    visit={visit}
                    board={board}
                    rules={rules}
                    show={show}
                    at={search.at}
                    posts={all}
                    row={row}
                    isStale={query.isPlaceholderData}
                    onChange={onChange}
                  />
                  <OlderRows query={query} shown={all.length} unit={['post', 'posts']} />
                </>
              ) : (
                <NoPosts visit={visit} board={board} near={place?.label} isFiltered={isFiltered} onChange={onChange} />
              )}
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

/** The links between the views of the posts. Only a board of events has an agenda. */
function ViewLinks({ show, isOfEvents }: { show: BoardSearch['show']; isOfEvents: boolean }) {
  const views = [undefined, 'map', ...(isOfEvents ? (['agenda'] as const) : [])] as const;
  return (
    <nav aria-label="Posts" className={segments.segments}>
      {views.map((view) => (
        <Link
          key={view ?? 'list'}
          from="/rooms/$id/b/$slug"
          to="."
          search={(was) => ({ ...was, show: view })}
          resetScroll={false}
          {...viewLink(show === view)}
        >
          {viewLabels[view ?? 'list']}
        </Link>
      ))}
    </nav>
  );
}

interface PostsInViewProps extends Pick<BoardPostsProps, 'visit' | 'board' | 'rules' | 'onChange'> {
  show: BoardSearch['show'];
  /** The view of the map. */
  at: string | undefined;
  posts: readonly Post[];
  row: (post: Post) => ReactNode;
  /** The posts are those of the filters before. */
  isStale: boolean;
}

function PostsInView({ visit, board, rules, show, at, posts, row, isStale, onChange }: PostsInViewProps) {
  return (
    <div className={show === 'map' ? styles.withMap : undefined}>
      {show === 'map' && (
        <div className={styles.map}>
          <ErrorBoundary what="The map could not be drawn.">
            <BoardMap
              posts={posts}
              rules={rules}
              at={at}
              onAt={(moved) => onChange({ at: moved })}
              postLink={({ id }, look) => (
                <Link
                  to="/rooms/$id/p/$pid"
                  params={{ id: visit.cluster.id, pid: id }}
                  search={{ board: board.slug }}
                  {...look}
                />
              )}
              closerLink={(closer, look) => (
                <Link
                  from="/rooms/$id/b/$slug"
                  to="."
                  search={(was) => ({ ...was, at: closer })}
                  resetScroll={false}
                  {...look}
                />
              )}
            />
          </ErrorBoundary>
        </div>
      )}
      {show === 'agenda' ? (
        <Agenda posts={posts} row={row} />
      ) : (
        <ul className={rows.rows} aria-label="Posts of the board" aria-busy={isStale}>
          {posts.map(row)}
        </ul>
      )}
    </div>
  );
}

interface NoPostsProps extends Pick<BoardPostsProps, 'visit' | 'board' | 'onChange'> {
  near: string | undefined;
  isFiltered: boolean;
}

function NoPosts({ visit, board, near, isFiltered, onChange }: NoPostsProps) {
  if (isFiltered)
    return (
      <EmptyState
        action={
          <Button onClick={() => onChange({ near: undefined, km: undefined, lang: undefined })}>
            Clear the filters
          </Button>
        }
      >
        No post matches these filters.
        {near !== undefined && ' Posts without a place are not found by distance.'}
        {board.posts > 0 && ` The board has ${board.posts === 1 ? '1 post' : `${board.posts} posts`}.`}
      </EmptyState>
    );
  return (
    <EmptyState
      command={`meshd post new ${visit.cluster.slug ?? visit.cluster.id} ${board.slug} "Title" --as ${visit.handle}`}
      action={
        <Button look="primary" onClick={() => onChange({ make: 'post' })}>
          Post
        </Button>
      }
    >
      No posts yet. A post stays until it expires, and every member of the cluster can read it.
    </EmptyState>
  );
}
