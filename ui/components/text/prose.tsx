import { lazy, Suspense } from 'react';
import { BreakableText } from './breakable-text.js';
import type { LinkPlace } from './markdown.js';
import styles from './prose.module.css';

/** Loads the renderer of Markdown. A page may call it early, so that its first text does not wait. */
export const loadMarkdown = () => import('./markdown.js');
const Markdown = lazy(loadMarkdown);

/** A text as it was written, in the type of rendered Markdown. */
export function PlainProse({ text }: { text: string }) {
  return (
    <div className={styles.plain} dir="auto">
      <BreakableText text={text} />
    </div>
  );
}

/** A text rendered as Markdown, and plain until the renderer is loaded. */
export function Prose({ text, linkPlace }: { text: string; linkPlace?: LinkPlace }) {
  return (
    <Suspense fallback={<PlainProse text={text} />}>
      <Markdown text={text} {...(linkPlace && { linkPlace })} />
    </Suspense>
  );
}
