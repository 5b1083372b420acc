import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useExposeMembers, useKeepInternal } from './exposure-queries.js';

/**
 * The notice for a member whose file exposes it without the operator's agreement: what that means, and the decision.
 */
export function AgreementNotice({ member: { id, exposure_hold: hold } }: { member: MemberDetail }) {
  const expose = useExposeMembers();
  const keep = useKeepInternal();
  if (hold !== 'agreement' && hold !== 'kept_internal') return null;
  const isWaiting = hold === 'agreement';
  const isBusy = expose.isPending || keep.isPending;
  const error = expose.error ?? keep.error;
  return (
    <Notice tone="needs">
      <p>
        <strong>{isWaiting ? 'This member needs your approval.' : 'You keep this member internal.'}</strong> Its file in
        the repository exposes it to other programs.{' '}
        {isWaiting
          ? 'It stays internal until you approve. Read its prompt first.'
          : 'No program can ask it until you expose it.'}
      </p>
      <div className="cluster">
        <Button isBusy={isBusy} onClick={() => expose.mutate([id])}>
          Expose
        </Button>
        {isWaiting && (
          <Button isBusy={isBusy} onClick={() => keep.mutate([id])}>
            Keep internal
          </Button>
        )}
      </div>
      {error && <ErrorPanel what="The decision was not saved." error={error} />}
    </Notice>
  );
}
