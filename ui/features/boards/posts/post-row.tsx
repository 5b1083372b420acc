import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Post } from '../../../../daemon/contract/boards.js';
import { Button } from '../../../components/button.js';
import rows from '../../../components/rows.module.css';
import { Flag } from '../../../components/text/flag.js';
import { Ago } from '../../../components/text/time.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { toIsoTime } from '../../../lib/format/epoch.js';
import { useNow } from '../../../lib/use-now.js';
import { formatWhere } from '../../places/where-format.js';
import { formatDistance, formatTimeLeft } from '../board-format.js';
import styles from '../boards.module.css';
import type { BoardRules } from '../rules/board-rules.js';
import { formatLanguage } from '../rules/languages.js';

const EXCERPT_CHARS = 200;
/**
 * Returns the beginning of a body as plain text: Markdown marks are removed, and a `·` separates blocks that end
 * without punctuation.
 */
export function getExcerpt(body: string): string {
  const words = body
    .slice(0, 4 * EXCERPT_CHARS)
    .replace(/!?\[([^\][]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .split(/\n\s*\n|\n(?=\s*[#>\-*+]\s)/)
    .map((part) =>
      part
        .replace(/^[#>\-*+\s]+/gm, ' ')
        .replace(/(?<!\w)_{1,3}|_{1,3}(?!\w)|[*`~]{1,3}/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean)
    .join(' · ')
    .replace(/([.!?:;…]) · /g, '$1 ');
  return words.length > EXCERPT_CHARS ? `${words.slice(0, EXCERPT_CHARS)}…` : words;
}

interface PostRowProps {
  post: Post;
  cluster: string;
  slug: string;
  rules: BoardRules;
  /** Written by the operator. Posts of others are marked as external. */
  isOwn: boolean;
  onDelete?: ((post: Post) => void) | undefined;
}

/** A post in a list: excerpt, author, place, language and remaining time. */
export const PostRow = memo(function PostRow({ post, cluster, slug, rules, isOwn, onDelete }: PostRowProps) {
  const { id, title, body, author, created_at, expires_at, file, distance_km } = post;
  const now = useNow(30_000);
  const excerpt = getExcerpt(body);
  return (
    <li className={styles.post}>
      <Flag id={author} />
      <div className={isOwn ? styles.postWords : `${styles.postWords} ${styles.outside}`}>
        <p>
          <Link
            to="/rooms/$id/p/$pid"
            params={{ id: cluster, pid: id }}
            search={{ board: slug }}
            className={rows.main}
            data-row=""
          >
            {toDisplayText(title)}
          </Link>
        </p>
        {excerpt !== '' && <p className={styles.excerpt}>{toDisplayText(excerpt)}</p>}
        <p className={styles.facts}>
          <span>{toDisplayText(author)}</span>
          <Ago at={toIsoTime(created_at)} />
          <PostPlace post={post} rules={rules} />
          <PostLanguage post={post} rules={rules} />
          {distance_km !== undefined && <span>{formatDistance(distance_km)}</span>}
          {file && <span>with a file</span>}
        </p>
      </div>
      <p className={styles.left}>{formatTimeLeft(expires_at, Math.floor(now / 1_000))}</p>
      {onDelete && (
        <div className={styles.acts}>
          <Button look="quiet" isSmall onClick={() => onDelete(post)}>
            Delete<span className="visually-hidden"> {toDisplayText(title)}</span>
          </Button>
        </div>
      )}
    </li>
  );
});

/** The label of a post's place; greyed when it is inherited. */
export function PostPlace({ post, rules }: { post: Post; rules: BoardRules }) {
  const own = post.props?.where;
  const where = own ?? rules.where?.value;
  if (where === undefined || where === 'none') return null;
  return <span className={own === undefined ? styles.inherited : undefined}>{toDisplayText(formatWhere(where))}</span>;
}

/** The language of a post; greyed when it is inherited. */
export function PostLanguage({ post, rules }: { post: Post; rules: BoardRules }) {
  const own = post.props?.lang;
  const lang = own ?? rules.lang?.value;
  if (lang === undefined) return null;
  return <span className={own === undefined ? styles.inherited : undefined}>{formatLanguage(lang)}</span>;
}
