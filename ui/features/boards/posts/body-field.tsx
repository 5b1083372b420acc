import { lazy, Suspense, useState } from 'react';
import { TextArea } from '../../../components/field.js';
import segments from '../../../components/segments.module.css';
import styles from '../boards.module.css';
import { countChars, type PostDraft } from './post-draft.js';

const Markdown = lazy(() => import('../../../components/text/markdown.js'));

/** The body of a post in Markdown, with a preview and the number of characters left. */
export function BodyField({
  draft,
  limit,
  hint,
  error,
  onChange,
}: {
  draft: PostDraft;
  limit: number | undefined;
  hint: string | undefined;
  error: string | undefined;
  onChange: (body: string) => void;
}) {
  const [isPreview, setIsPreview] = useState(false);
  const length = countChars(draft);
  const over = limit === undefined ? 0 : length - limit;
  return (
    <div className={styles.body}>
      <div className={styles.bodyHead}>
        <fieldset className={segments.segments}>
          <legend className="visually-hidden">Body</legend>
          {[false, true].map((preview) => (
            <button
              key={String(preview)}
              type="button"
              className={segments.segment}
              aria-pressed={isPreview === preview}
              onClick={() => setIsPreview(preview)}
            >
              {preview ? 'Preview' : 'Write'}
            </button>
          ))}
        </fieldset>
        {limit !== undefined && <CharCount length={length} limit={limit} />}
      </div>
      {isPreview ? (
        <div className={styles.preview}>
          {draft.body.trim() === '' ? (
            <p className="quiet">Nothing to preview.</p>
          ) : (
            <Suspense fallback={<p className={styles.plain}>{draft.body}</p>}>
              <Markdown text={draft.body} />
            </Suspense>
          )}
        </div>
      ) : (
        <TextArea
          label="Body"
          hint={['Markdown. Images become links.', hint].filter(Boolean).join(' ')}
          rows={6}
          value={draft.body}
          error={error ?? (over > 0 ? `${over.toLocaleString('en')} characters too many, with the title.` : undefined)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </div>
  );
}

function CharCount({ length, limit }: { length: number; limit: number }) {
  const over = length - limit;
  return (
    <span className={over > 0 ? styles.over : styles.counter} role="status">
      <span className="mono">
        {length.toLocaleString('en')} of {limit.toLocaleString('en')}
      </span>
      {over > 0 && `, ${over.toLocaleString('en')} too many`}
    </span>
  );
}
