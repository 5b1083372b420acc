import { type FormEvent, useState } from 'react';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { TextArea } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { ApiError } from '../../lib/api.js';
import { handleFault } from './cluster-format.js';
import { useSaveCluster } from './cluster-mutations.js';
import { readInvite } from './invite.js';
import { DEFAULT_MEMBERSHIP, MembershipFields } from './membership-fields.js';

/** Joins a cluster by id, slug or pasted invite. */
export function JoinClusterDialog({
  onClose,
  onJoined,
}: {
  onClose: () => void;
  onJoined: (room: SavedCluster) => void;
}) {
  const [pasted, setPasted] = useState('');
  const [membership, setMembership] = useState(DEFAULT_MEMBERSHIP);
  const keep = useSaveCluster();
  const invite = readInvite(pasted);
  const isWrong = pasted.trim() !== '' && !invite;
  const reason = !invite ? 'Paste an invite, an id or a slug first.' : handleFault(membership.handle);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!invite || reason !== undefined || keep.isPending) return;
    keep.mutate({ ...invite, ...membership }, { onSuccess: onJoined });
  };
  const isShut = keep.error instanceof ApiError && (keep.error.status === 404 || keep.error.status === 401);
  return (
    <Dialog title="Join a cluster" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextArea
          label="Invite, id or slug"
          isCode
          rows={3}
          maxLength={4_096}
          value={pasted}
          onChange={(event) => {
            keep.reset();
            setPasted(event.target.value);
          }}
          error={
            isWrong ? 'No cluster id found: an id is c_ and 20 characters, a slug is like the-commons.' : undefined
          }
          hint={inviteHint(invite)}
        />
        <MembershipFields membership={membership} onChange={setMembership} />
        {isShut ? (
          <Notice tone="failed" isAlert>
            <p>
              <strong>It cannot be joined.</strong> There is no such cluster, or the token is wrong. A private cluster
              needs the whole invite.
            </p>
          </Notice>
        ) : (
          keep.error && <ErrorPanel what="The cluster was not joined." error={keep.error} />
        )}
        <FormActions submitLabel="Join" isBusy={keep.isPending} reasonDisabled={reason} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function inviteHint(invite: ReturnType<typeof readInvite>): string {
  if (!invite) return 'A private cluster needs its invite; a public one its id or slug.';
  const tokens = [invite.token && 'member token', invite.admin_token && 'the admin token']
    .filter(Boolean)
    .join(' and ');
  return (
    'Cluster ' +
    `${invite.cluster_id}${tokens === '' ? ', without a token' : `, with ${tokens}: saved in .mesh/credentials`}.`
  );
}
