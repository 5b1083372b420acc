import { Link } from '@tanstack/react-router';
import type { MergePreview } from '../../../../daemon/contract/work/reviews.js';
import { Button } from '../../../components/button.js';
import { Notice } from '../../../components/notes.js';
import { ErrorPanel } from '../../../components/states.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { countWords } from '../changes-format.js';
import { useResolveConflicts } from '../changes-mutations.js';

/** The files that both changed in the same places. The member can be told to resolve them. */
export function Conflicts({ conv, name, preview }: { conv: string; name: string; preview: MergePreview }) {
  const { conflicts, into } = preview;
  const resolve = useResolveConflicts(conv);
  if (conflicts.length === 0) return null;
  return (
    <Notice tone="failed">
      <p>
        {countWords(conflicts.length, 'file')} {conflicts.length === 1 ? 'conflicts' : 'conflict'} with{' '}
        {toDisplayText(into)}:
      </p>
      <ul aria-label="Conflicts">
        {conflicts.map((path) => (
          <li key={path} className="mono small">
            {toDisplayText(path)}
          </li>
        ))}
      </ul>
      {resolve.error && <ErrorPanel what="The member was not told." error={resolve.error} />}
      {resolve.data ? (
        <p role="status">
          {name} was told to resolve them.{' '}
          <Link to="/talk/$conv" params={{ conv }}>
            Open the conversation
          </Link>
        </p>
      ) : (
        <Button isBusy={resolve.isPending} onClick={() => resolve.mutate({ into })}>
          Let {name} resolve the conflicts
        </Button>
      )}
    </Notice>
  );
}

/** Other conversations whose worktrees changed the same lines. */
export function Overlaps({ overlaps }: Pick<MergePreview, 'overlaps'>) {
  if (overlaps.length === 0) return null;
  return (
    <Notice tone="info">
      <p>Other conversations changed the same lines. Whichever is merged last will conflict.</p>
      <ul aria-label="Overlaps">
        {overlaps.map(({ conv, title, paths }) => (
          <li key={conv}>
            <Link to="/talk/$conv" params={{ conv }}>
              {toDisplayText(title)}
            </Link>{' '}
            <span className="mono small">{toDisplayText(paths.join(', '))}</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
