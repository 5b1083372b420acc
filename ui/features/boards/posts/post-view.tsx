import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { Board, Post } from '../../../../daemon/contract/boards.js';
import type { Props } from '../../../../daemon/contract/clusters.js';
import { Button, buttonClass } from '../../../components/button.js';
import { KeyValue, Notice } from '../../../components/notes.js';
import { PendingDeletion } from '../../../components/pending-deletion.js';
import { PageHead, Section } from '../../../components/section.js';
import { BreakableText } from '../../../components/text/breakable-text.js';
import { CopyButton } from '../../../components/text/copy-button.js';
import { ExactAgo } from '../../../components/text/exact-ago.js';
import { Flag } from '../../../components/text/flag.js';
import { OutsideLink } from '../../../components/text/outside-link.js';
import { useDraft } from '../../../lib/drafts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { toIsoTime } from '../../../lib/format/epoch.js';
import { formatExactTime } from '../../../lib/format/time-format.js';
import { useNow } from '../../../lib/use-now.js';
import { formatTimeLeft } from '../board-format.js';
import { BoardPath } from '../board-path.js';
import type { BoardVisit } from '../board-visit.js';
import styles from '../boards.module.css';
import { type BoardRules, getBoardRules } from '../rules/board-rules.js';
import { mayDelete, useDeletePost, usePostDeletions } from './post-deletions.js';
import { PostLanguage, PostPlace } from './post-row.js';

const Markdown = lazy(() => import('../../../components/text/markdown.js'));

interface PostViewProps {
  visit: BoardVisit;
  board: Board;
  room: Props | null;
  post: Post;
}

/** A whole post: text, file, author, place, remaining time and actions. */
export function PostView({ visit, board, room: clusterProps, post }: PostViewProps) {
  const { id, title, body, author, file } = post;
  const rules = useMemo(() => getBoardRules(board.props, clusterProps), [board.props, clusterProps]);
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
      {deletion && (
        <Notice tone="info">
          <PendingDeletion deletion={deletion} what="This post" />
        </Notice>
      )}
      <article
        className={author === visit.handle ? styles.text : `${styles.text} ${styles.outside}`}
        aria-label={toDisplayText(title)}
      >
        <PostBody body={body} />
      </article>
      {file && (
        <section className={styles.fileCard} aria-label="File">
          <p>
            <span className="mono">{toDisplayText(file.mime)}</span> <span className="quiet">linked, not fetched</span>
          </p>
          <OutsideLink address={file.url} />
        </section>
      )}
      <Section title="About this post">
        <PostFacts post={post} rules={rules} />
      </Section>
    </>
  );
}

function PostBody({ body }: { body: string }) {
  if (body.trim() === '') return <p className="quiet">No text beyond the title.</p>;
  return (
    <Suspense
      fallback={
        <p className={styles.plain}>
          <BreakableText text={body} />
        </p>
      }
    >
      <Markdown text={body} />
    </Suspense>
  );
}

interface PostAndRules {
  post: Post;
  rules: BoardRules;
}

function PostFacts({ post, rules }: PostAndRules) {
  const { id, author, created_at, expires_at } = post;
  const now = useNow(30_000);
  return (
    <KeyValue
      rows={[
        [
          'From',
          <span key="author" className="cluster">
            <Flag id={author} size={20} />
            {toDisplayText(author)}
            <span className="quiet small">self-declared</span>
          </span>,
        ],
        ['Posted', <ExactAgo key="posted" at={toIsoTime(created_at)} />],
        [
          'Stays',
          expires_at === null
            ? 'no end'
            : `${formatTimeLeft(expires_at, Math.floor(now / 1_000))}, until ${formatExactTime(expires_at * 1_000)}`,
        ],
        ['Where', <PlaceOrNone key="where" post={post} rules={rules} />],
        [
          'Language',
          rules.lang || post.props?.lang ? <PostLanguage key="lang" post={post} rules={rules} /> : 'not given',
        ],
        [
          'Id',
          <span key="id" className="mono">
            {id}
          </span>,
        ],
      ]}
    />
  );
}

function PlaceOrNone({ post, rules }: PostAndRules) {
  const where = post.props?.where ?? rules.where?.value;
  return where === undefined || where === 'none' ? 'at no place' : <PostPlace post={post} rules={rules} />;
}

/** A link to the Wall that adds a mention of this post to the composer. */
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
