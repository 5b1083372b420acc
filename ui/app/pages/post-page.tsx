import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Board, BoardList, Post } from '../../../daemon/contract/boards.js';
import { Button, buttonClass } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { ExactAgo } from '../../components/exact-ago.js';
import { Flag } from '../../components/flag.js';
import { Loaded } from '../../components/loaded.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { OutsideLink } from '../../components/outside-link.js';
import { PageHead, Section } from '../../components/section.js';
import { useNow } from '../../components/time.js';
import { declaredAge } from '../../features/boards/adult-word.js';
import { AgeGate } from '../../features/boards/age-gate.js';
import { rulesOf } from '../../features/boards/board-rules.js';
import type { BoardVisit } from '../../features/boards/board-visit.js';
import { leftWords } from '../../features/boards/board-words.js';
import styles from '../../features/boards/boards.module.css';
import { boardsQuery, type PostFate, postQuery } from '../../features/boards/boards-queries.js';
import { mayDelete, type PostDeletion, useDeletePost, usePostDeletions, wasJustSaid } from '../../features/boards/post-deletions.js';
import { PostLanguage, PostPlace } from '../../features/boards/post-row.js';
import { useDraft } from '../../lib/drafts.js';
import { isoOf } from '../../lib/epoch.js';
import { shownWords } from '../../lib/shown-words.js';
import { exactWords } from '../../lib/time-words.js';
import { usePageTitle } from '../page-title.js';
import { BoardsAreOff } from './boards-are-off.js';
import { VisitedCluster } from './visited-cluster.js';

const Markdown = lazy(() => import('../../components/markdown.js'));

const route = getRouteApi('/rooms/$id/p/$pid');

export function PostPage() {
  const { id } = route.useParams();
  return <VisitedCluster id={id}>{(visit) => <PostOf visit={visit} />}</VisitedCluster>;
}

function PostOf({ visit }: { visit: BoardVisit }) {
  const boards = useQuery({ ...boardsQuery(visit), enabled: visit.cluster.boards_enabled });
  if (!visit.cluster.boards_enabled) return <BoardsAreOff visit={visit} />;
  return (
    <Loaded query={boards} what="The boards of the room could not be read." rows={8}>
      {(data) => <PostLookup visit={visit} boards={data} />}
    </Loaded>
  );
}

function PostLookup({ visit, boards }: { visit: BoardVisit; boards: BoardList }) {
  const { pid } = route.useParams();
  const { board: hint } = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id/p/$pid' });
  const [age, setAge] = useState(declaredAge);
  // The board that the address names comes first: nearly always it is the one.
  const slugs = useMemo(() => {
    const all = boards.boards.map(({ slug }) => slug);
    return hint !== undefined && all.includes(hint) ? [hint, ...all.filter((slug) => slug !== hint)] : all;
  }, [boards, hint]);
  const found = useQuery(postQuery(visit, slugs, pid, age));
  const title = found.data && 'post' in found.data ? found.data.post.title : 'Post';
  usePageTitle(title);
  const toBoards = () => void navigate({ to: '/rooms/$id', params: { id: visit.cluster.id }, search: { tab: 'boards' } });
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
        return board ? <PostView visit={visit} board={board} boards={boards} post={data.post} /> : null;
      }}
    </Loaded>
  );
}

function BoardPath({ visit: { cluster }, board }: { visit: BoardVisit; board: Board | undefined }) {
  return (
    <p className="cluster small">
      <Link to="/rooms/$id" params={{ id: cluster.id }} search={{ tab: 'boards' }}>
        {shownWords(cluster.name)}
      </Link>
      {board && (
        <Link to="/rooms/$id/b/$slug" params={{ id: cluster.id, slug: board.slug }}>
          {shownWords(board.name)}
        </Link>
      )}
    </p>
  );
}

/** A post that is no more: how it ended, where that is known. */
function GonePost({ visit, id, fate }: { visit: BoardVisit; id: string; fate: PostFate }) {
  const what = fate?.title === undefined ? 'This post' : `“${shownWords(fate.title)}”`;
  return (
    <>
      <PageHead
        title={fate === null ? 'There is no such post' : fate.event === 'post_expired' ? 'This post has expired' : 'This post was deleted'}
        lede={
          <>
            <BoardPath visit={visit} board={undefined} />
            <p className="mono">{shownWords(id)}</p>
          </>
        }
      />
      <p>
        {fate === null
          ? 'It has expired, was deleted, or never was: nothing of a post is kept beyond its time.'
          : `${what} ${fate.event === 'post_expired' ? 'expired' : 'was deleted'} ${exactWords(fate.at * 1_000)}. Its words are kept nowhere.`}
      </p>
      <p>
        <Link to="/rooms/$id" params={{ id: visit.cluster.id }} search={{ tab: 'boards' }} className={buttonClass('primary')}>
          Show the boards
        </Link>
      </p>
    </>
  );
}

function PostView({ visit, board, boards, post }: { visit: BoardVisit; board: Board; boards: BoardList; post: Post }) {
  const { id, title, body, author, created_at, expires_at, file } = post;
  const rules = rulesOf(board.props, boards.cluster_props);
  const now = useNow(30_000);
  const remove = useDeletePost(visit);
  const deletion = usePostDeletions().get(id);
  const mention = `#${id}`;
  return (
    <>
      <PageHead
        title={title}
        lede={<BoardPath visit={visit} board={board} />}
        actions={
          <>
            <CopyButton text={() => window.location.href} label="Copy link" />
            <CopyButton text={mention} label={`Copy ${mention.slice(0, 8)}…`} />
            <MentionLink cluster={visit.cluster.id} mention={mention} />
            {mayDelete(visit, post) && !deletion && (
              <Button look="danger" onClick={() => remove(post)}>
                Delete
              </Button>
            )}
          </>
        }
      />
      {deletion && <PendingDeletion deletion={deletion} />}
      <article className={styles.text} aria-label={shownWords(title)}>
        {body.trim() === '' ? (
          <p className="quiet">It says nothing beyond its title.</p>
        ) : (
          <Suspense fallback={<p className={styles.plain}>{shownWords(body)}</p>}>
            <Markdown text={body} />
          </Suspense>
        )}
      </article>
      {file && (
        <section className={styles.fileCard} aria-label="File">
          <p>
            <span className="mono">{shownWords(file.mime)}</span> <span className="quiet">by its address; it was not fetched</span>
          </p>
          <OutsideLink address={file.url} />
        </section>
      )}
      <Section title="About this post">
        <KeyValue
          rows={[
            [
              'From',
              <span key="author" className="cluster">
                <Flag id={author} size={20} />
                {shownWords(author)}
                <span className="quiet small">as they call themselves</span>
              </span>,
            ],
            ['Posted', <ExactAgo key="posted" at={isoOf(created_at)} />],
            [
              'Stays',
              expires_at === null ? 'no end' : `${leftWords(expires_at, Math.floor(now / 1_000))}, until ${exactWords(expires_at * 1_000)}`,
            ],
            ['Where', <PlaceOrNone key="where" post={post} rules={rules} />],
            ['Language', rules.lang || post.props?.lang ? <PostLanguage key="lang" post={post} rules={rules} /> : 'not said'],
            [
              'Id',
              <span key="id" className="mono">
                {id}
              </span>,
            ],
          ]}
        />
      </Section>
    </>
  );
}

function PlaceOrNone({ post, rules }: Parameters<typeof PostPlace>[0]) {
  const where = post.props?.where ?? rules.where?.value;
  return where === undefined || where === 'none' ? 'at no place' : <PostPlace post={post} rules={rules} />;
}

/** To the Wall, with the words that lead others to this post. */
function MentionLink({ cluster, mention }: { cluster: string; mention: string }) {
  const said = useDraft(`wall.${cluster}`, '');
  return (
    <Link
      to="/rooms/$id"
      params={{ id: cluster }}
      className={buttonClass()}
      onClick={() => {
        if (!said.value.includes(mention)) said.set(`${said.value.trimEnd()} ${mention} `.trimStart());
      }}
    >
      Mention on the Wall
    </Link>
  );
}

function PendingDeletion({ deletion }: { deletion: PostDeletion }) {
  const now = useNow(1_000);
  return (
    <Notice tone="info">
      <p>
        This post is deleted in <span className="mono">{Math.max(0, Math.ceil((deletion.at - now) / 1_000))} s</span>.
      </p>
      <Button isSmall autoFocus={wasJustSaid(deletion)} onClick={() => deletion.calledOff.abort()}>
        Undo<span className="visually-hidden"> the deletion</span>
      </Button>
    </Notice>
  );
}
