import { Link } from '@tanstack/react-router';
import type { Citation, CitationStatus } from '../../../daemon/contract/asks.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { OpenInEditor } from '../knowledge/open-in-editor.js';
import { ChangedQuote } from './changed-quote.js';
import { formatCitationPlace, formatLines } from './citation-format.js';
import styles from './citations.module.css';

const looks: Record<CitationStatus, { path: string; words: string }> = {
  checked: { path: 'm2 8.500 4 4 8-9.500', words: 'quote verified' },
  moved: { path: 'M1 8h12M8.500 3.500 13 8l-4.500 4.500', words: 'moved, found here' },
  changed: { path: 'M8 2v7.500M8 12v2', words: 'changed: this quote is no longer in the file' },
  dropped: { path: 'm3 3 10 10M13 3 3 13', words: 'dropped: not at these lines' },
};

const formatStatus = ({ status, given }: Citation) =>
  status === 'moved' && given ? `moved here from ${formatLines(given)}` : looks[status].words;

/** Whether the quote is in the working tree, so that its lines can be opened. */
const isConfirmed = ({ status }: Citation) => status === 'checked' || status === 'moved';

/** Where a citation occurs: in the answer to a request, or in a conversation. */
export type CitedIn = { rid: string } | { conv: string };

interface CitationLinkProps {
  cited: CitedIn;
  citation: Citation;
  /** The words of the link; default: the place. */
  place?: string;
}

/** A link that opens a cited file at its lines as they are now, beside the request or conversation. */
function CitationLink({ cited, citation, place = formatCitationPlace(citation) }: CitationLinkProps) {
  const search = { file: citation.path, from: citation.start_line, to: citation.end_line };
  return 'rid' in cited ? (
    <Link to="/requests/$rid" params={cited} search={search} resetScroll={false} className={styles.place}>
      {place}
    </Link>
  ) : (
    <Link to="/talk/$conv" params={cited} search={search} resetScroll={false} className={styles.place}>
      {place}
    </Link>
  );
}

/**
 * A place as the text of an answer names it, with a link to where its quote is now, or the word that it has changed.
 */
export function CitedPlace({ cited, citation }: Pick<CitationLinkProps, 'cited' | 'citation'>) {
  const { path, given = citation, status } = citation;
  const place = formatCitationPlace({ ...given, path });
  if (!isConfirmed(citation)) {
    return (
      <>
        <span className={`${styles.place} ${styles.gone}`}>{place}</span>
        <span className={`${styles.words} ${styles[status]}`}>{status}</span>
      </>
    );
  }
  return (
    <>
      <CitationLink cited={cited} citation={citation} place={place} />
      {citation.given && <span className={`${styles.words} ${styles.moved}`}>now {formatLines(citation)}</span>}
    </>
  );
}

/** The citations of an answer. Each opens its file at its lines. */
export function Citations({ cited, citations }: { cited: CitedIn; citations: Citation[] }) {
  return (
    <ol className={styles.list} aria-label="Citations">
      {citations.map((citation) => {
        const { path } = looks[citation.status];
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
              {isConfirmed(citation) ? (
                <CitationLink cited={cited} citation={citation} />
              ) : (
                <span className={`${styles.place} ${styles.gone}`}>{formatCitationPlace(citation)}</span>
              )}
              <span className={`${styles.words} ${styles[citation.status]}`}>{formatStatus(citation)}</span>
              {citation.commit && (
                <span className="small quiet mono">
                  {' '}
                  {isConfirmed(citation) ? 'at' : 'it was at'} {citation.commit.slice(0, 7)}
                </span>
              )}
              {isConfirmed(citation) && <OpenInEditor path={citation.path} line={citation.start_line} />}
              {citation.status === 'changed' && (
                <ChangedQuote citation={citation}>
                  <CitationLink cited={cited} citation={citation} place="Open the file" />
                </ChangedQuote>
              )}
              {citation.status !== 'dropped' && (
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
