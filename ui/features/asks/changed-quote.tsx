import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Citation } from '../../../daemon/contract/asks.js';
import type { FileLines } from '../../../daemon/contract/system.js';
import { Diff } from '../../components/text/diff.js';
import { ApiError, call, query } from '../../lib/api.js';
import { formatCitationPlace, formatLines } from './citation-format.js';

/** The quote of a changed citation beside what its lines hold now, read when it is opened. */
export function ChangedQuote({ citation, children }: { citation: Citation; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="small">What changed</summary>
      {isOpen && <Comparison citation={citation}>{children}</Comparison>}
    </details>
  );
}

function Comparison({ citation, children }: { citation: Citation; children: ReactNode }) {
  const { path, start_line: start, quote } = citation;
  const before = quote.replace(/\r?\n$/, '');
  // As many lines as were quoted, which may be fewer than the citation names.
  const end = start + before.split('\n').length - 1;
  const { data: now, error } = useQuery({
    queryKey: ['file', path, start, end],
    queryFn: ({ signal }) => call<FileLines>(`/project/file${query({ path, start, end })}`, { signal }),
    staleTime: 0,
    retry: false,
  });
  if (error instanceof ApiError && error.code === 'not_found')
    return <p className="small quiet">The file is no longer there, or may not be read any more.</p>;
  if (error) return <p className="small quiet">What is there now could not be read. {error.message}</p>;
  if (!now) return <p className="small quiet">Reading what is there now…</p>;
  return (
    <>
      <p className="small quiet">
        {now.total_lines < start
          ? `The file now ends at line ${now.total_lines}.`
          : `− what was quoted, + ${formatLines({ start_line: start, end_line: now.end_line })} now.`}{' '}
        {children}
      </p>
      <Diff
        label={`What changed in ${formatCitationPlace(citation)}`}
        before={before}
        after={now.lines.join('\n')}
        sameWords="These lines are the same again."
        isFragment
      />
    </>
  );
}
