import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
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
import { toDisplayText } from '../../lib/display-text.js';
import { fetched } from '../../lib/fetched.js';
import { usePages } from '../../lib/pages.js';
import { AgeGate } from './age-gate.js';
import { Agenda } from './agenda.js';
import { BoardFilters, useNearPlace } from './board-filters.js';
import type { BoardRules } from './board-rules.js';
import type { BoardSearch } from './board-search.js';
import type { BoardVisit } from './board-visit.js';
import styles from './boards.module.css';
import { isGate, postsQuery } from './boards-queries.js';
import { mayDelete, useDeletePost, usePostDeletions } from './post-deletions.js';
import { PostRow } from './post-row.js';

const BoardMap = fetched(() => import('./board-map.js'), <Skeleton rows={6} />);

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

/** The posts that match the filters, as a list, on the map, or by day. */
export function BoardPosts({ visit, board, rules, search, isAdult, onChange, onAdult, onYoung }: BoardPostsProps) {
  const { place, isReading, isUnknown } = useNearPlace(search.near);
  const near = place && `${place.lat},${place.lon}`;
  const filter = { near, km: near === undefined ? undefined : search.km, lang: search.lang };
  const { query, all } = usePages({ ...postsQuery(visit, board.id, filter, isAdult), enabled: !isReading }, listRows);
  const remove = useDeletePost(visit);
  const deletions = usePostDeletions();
  const show = search.show === 'agenda' && board.kind !== 'events' ? undefined : search.show;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // A map and an agenda need all posts, so every page is read.
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
        isOwn={post.author === visit.handle}
        onDelete={mayDelete(visit, post) ? remove : undefined}
      />
    );
  };
  if (isGate(query.error))
    return <AgeGate age={Number(query.error.details['age_min'] ?? 18)} onYes={onAdult} onNo={onYoung} />;
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
        <EmptyState
          action={<Button onClick={() => onChange({ near: undefined, km: undefined })}>Search everywhere</Button>}
        >
          No place named “{toDisplayText(search.near ?? '')}”. Choose one from the suggestions.
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
                              <Link
                                from="/rooms/$id/b/$slug"
                                to="."
                                search={(was) => ({ ...was, at })}
                                resetScroll={false}
                                {...look}
                              />
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
                  <OlderRows query={query} shown={all.length} unit={['post', 'posts']} />
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
        No post matches these filters.
        {near !== undefined && ' Posts without a place are not found by distance.'}
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
      No posts yet. A post stays until it expires, and every member of the cluster can read it.
    </EmptyState>
  );
}
