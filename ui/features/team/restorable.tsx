import type { RemovedMember } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { Ago } from '../../components/text/time.js';
import { useRestoreDefaults, useRestoreMember } from './team-mutations.js';

/** With more members than this, one button restores all. */
const MANY = 3;

/** Default members without a file, which can be written as shipped. */
export function RestorableDefaults({ ids }: { ids: readonly string[] }) {
  const restore = useRestoreMember();
  const restoreAll = useRestoreDefaults();
  const error = restore.error ?? restoreAll.error;
  if (ids.length === 0) return null;
  return (
    <Notice tone="info">
      <p>
        {ids.length === 1 ? 'A default member has' : `${ids.length} default members have`} no file: {ids.join(', ')}.
        {ids.length === 1 ? 'Restore it to use it.' : 'Restore them to use them.'}
      </p>
      <div className="cluster">
        {ids.length > MANY && (
          <Button isSmall isBusy={restoreAll.isPending} onClick={() => restoreAll.mutate(ids)}>
            Restore all {ids.length}
          </Button>
        )}
        {ids.length <= MANY &&
          ids.map((id) => (
            <Button
              key={id}
              isSmall
              isBusy={restore.isPending && restore.variables === id}
              onClick={() => restore.mutate(id)}
            >
              Restore {id}
            </Button>
          ))}
      </div>
      {error && <ErrorPanel what="Not every default member was restored." error={error} />}
    </Notice>
  );
}

/** The members that were removed lately, each with a way back. */
export function RemovedMembers({ removed }: { removed: readonly RemovedMember[] }) {
  const restore = useRestoreMember();
  if (removed.length === 0) return null;
  return (
    <details>
      <summary>Removed in the last 30 days ({removed.length})</summary>
      <p className="small quiet">
        A restored member has the file that it had. If programs could ask it, its token is new.
      </p>
      {restore.error && <ErrorPanel what="The member was not restored." error={restore.error} />}
      <ul className="plain" aria-label="Removed members">
        {removed.map(({ id, removed_at }) => (
          <li key={id} className="cluster">
            <code>{id}</code>
            <span className="small quiet">
              removed <Ago at={removed_at} />
            </span>
            <Button isSmall isBusy={restore.isPending && restore.variables === id} onClick={() => restore.mutate(id)}>
              Restore<span className="visually-hidden"> {id}</span>
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
