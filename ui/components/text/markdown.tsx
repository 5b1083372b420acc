import { type ReactNode, useMemo } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { toDisplayText } from '../../lib/format/display-text.js';
import { tagged } from '../../lib/format/hashtags.js';
import { stretched } from '../../lib/format/split-long-text.js';
import { BreakableText } from './breakable-text.js';
import { Diagram } from './diagram.js';
import { findDiagram } from './diagram-source.js';
import styles from './markdown.module.css';
import { isCostlyMarkdown } from './markdown-cost.js';

/** Returns the URL if a link may lead there (http, https or mailto), else undefined. */
function safeTarget(href: string | undefined): URL | undefined {
  if (!href || !URL.canParse(href)) return undefined;
  const target = new URL(href);
  return ['http:', 'https:', 'mailto:'].includes(target.protocol) ? target : undefined;
}

function OutsideLink({
  href,
  children,
  className,
}: {
  href?: string | undefined;
  children: React.ReactNode;
  className?: string | undefined;
}) {
  const target = safeTarget(href);
  if (!target) return <span>{children}</span>;
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer nofollow" className={className}>
      {children}
      {target.host && <span className={styles.host}> ({target.host})</span>}
    </a>
  );
}

const PLAIN = [rehypeSanitize, stretched];
const WITH_TAGS = [rehypeSanitize, tagged, stretched];

const plainComponents: Components = {
  // The page has its own h1 and h2, so headings of the text start below them.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h6>{children}</h6>,
  a: ({ href, children }) => <OutsideLink href={href}>{children}</OutsideLink>,
  img: ({ src, alt }) => (
    <OutsideLink href={typeof src === 'string' ? src : undefined} className={styles.chip}>
      image: {alt || 'no description'}
    </OutsideLink>
  ),
  pre: ({ node, children }) => {
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    const code = <pre tabIndex={0}>{children}</pre>;
    const source = findDiagram(node);
    return source === undefined ? code : <Diagram source={source}>{code}</Diagram>;
  },
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
  table: ({ children }) => <table tabIndex={0}>{children}</table>,
  // The checkbox of a task list item, the only input that Markdown produces.
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} readOnly aria-label={checked ? 'done' : 'open'} />
  ),
};

/** Turns a place named in a text (`src/retry.ts:40-72`) into a link; undefined when it does not exist. */
export type LinkPlace = (place: string) => ReactNode | undefined;

function linkPlaceIn(children: ReactNode, className: string | undefined, linkPlace: LinkPlace): ReactNode {
  const code = <code className={className}>{children}</code>;
  return (typeof children === 'string' && linkPlace(children)) || code;
}

/** Turns a hashtag, without its `#`, into a link; undefined when it does not exist. */
export type LinkTag = (tag: string) => ReactNode | undefined;

/**
 * Renders untrusted Markdown: HTML is dropped, links show their host, and images become links. Text that is too costly
 * to render is shown as plain text.
 */
export default function Markdown({
  text,
  linkPlace,
  linkTag,
}: {
  text: string;
  linkPlace?: LinkPlace;
  linkTag?: LinkTag;
}) {
  const components = useMemo<Components>(
    () => ({
      ...plainComponents,
      ...(linkPlace && { code: ({ children, className }) => linkPlaceIn(children, className, linkPlace) }),
      // Only `tagged` produces this element; no text of an author does.
      ...(linkTag && { data: ({ value }) => linkTag(String(value)) ?? `#${String(value)}` }),
    }),
    [linkPlace, linkTag],
  );
  const isCostly = useMemo(() => isCostlyMarkdown(text), [text]);
  if (isCostly) {
    return (
      <div className={`${styles.prose} ${styles.unread}`} dir="auto">
        <BreakableText text={text} />
      </div>
    );
  }
  return (
    <div className={styles.prose} dir="auto">
      <ReactMarkdown
        skipHtml
        remarkPlugins={[remarkGfm]}
        rehypePlugins={linkTag ? WITH_TAGS : PLAIN}
        components={components}
      >
        {toDisplayText(text)}
      </ReactMarkdown>
    </div>
  );
}
