import { Link } from '@tanstack/react-router';
import type { Citation, CitationStatus } from '../../../daemon/contract/asks.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatCitationPlace } from './citation-format.js';
import styles from './citations.module.css';

const looks: Record<CitationStatus, { path: string; words: string }> = {
  checked: { path: 'm2 8.500 4 4 8-9.500', words: 'verified' },
  moved: { path: 'M1 8h12M8.500 3.500 13 8l-4.500 4.500', words: 'moved, found here' },
  dropped: { path: 'm3 3 10 10M13 3 3 13', words: 'dropped: not at these lines' },
};

/** Where a citation occurs: in the answer to a request, or in a conversation. */
export type CitedIn = { rid: string } | { conv: string };

/** A link that opens a cited file at its lines, beside the request or conversation. */
export function CitationLink({ cited, citation }: { cited: CitedIn; citation: Citation }) {
  const search = { file: citation.path, from: citation.start_line, to: citation.end_line };
  return 'rid' in cited ? (
    <Link to="/requests/$rid" params={cited} search={search} resetScroll={false} className={styles.place}>
      {formatCitationPlace(citation)}
    </Link>
  ) : (
    <Link to="/talk/$conv" params={cited} search={search} resetScroll={false} className={styles.place}>
      {formatCitationPlace(citation)}
    </Link>
  );
}

/** The citations of an answer. Each opens its file at its lines. */
export function Citations({ cited, citations }: { cited: CitedIn; citations: Citation[] }) {
  return (
    <ol className={styles.list} aria-label="Citations">
      {citations.map((citation) => {
        const { path, words } = looks[citation.status];
        const isDropped = citation.status === 'dropped';
        return (
          <li key={`${formatCitationPlace(citation)} ${citation.sha256}`}>
            <svg
              className={`${styles.mark} ${styles[citation.status]}`}
              viewBox="0 0 16 16"
              aria-hidden="true"
              focusable="false"
            >
              <path d={path} />
            </svg>
            <div>
              {isDropped ? (
                <span className={`${styles.place} ${styles.gone}`}>{formatCitationPlace(citation)}</span>
              ) : (
                <CitationLink cited={cited} citation={citation} />
              )}
              <span className={`${styles.words} ${styles[citation.status]}`}>{words}</span>
              {citation.commit && <span className="small quiet mono"> at {citation.commit.slice(0, 7)}</span>}
              {!isDropped && (
                <p className={`${styles.quote} truncate`}>
                  {toDisplayText(citation.quote.trim().split('\n')[0] ?? '')}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
