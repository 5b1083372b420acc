import { type FormEvent, useState } from 'react';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/states.js';
import { formatOnlineCount, handleFault } from './cluster-format.js';
import { useSaveCluster } from './cluster-mutations.js';
import styles from './clusters.module.css';
import { MembershipFields } from './membership-fields.js';

/** The form before joining: handle and visibility. Nobody sees the operator before it is submitted. */
export function JoinForm({ room: savedCluster, onJoined }: { room: SavedClusterDetail; onJoined: () => void }) {
  const [membership, setMembership] = useState({
    handle: savedCluster.handle,
    vis: savedCluster.vis,
    held: savedCluster.held,
  });
  const keep = useSaveCluster();
  const reason = handleFault(membership.handle);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === undefined && !keep.isPending) {
      const { cluster_id, token } = savedCluster;
      keep.mutate({ cluster_id, ...(token && { token }), ...membership }, { onSuccess: onJoined });
    }
  };
  return (
    <form className={`stack ${styles.narrow}`} onSubmit={submit} aria-label="Join">
      <p>
        {formatOnlineCount(savedCluster.online).replace(/^./, (letter) => letter.toUpperCase())}. Earlier messages are
        not available. You are not visible yet.
      </p>
      <MembershipFields membership={membership} onChange={setMembership} />
      {keep.error && <ErrorPanel what="You could not join." error={keep.error} />}
      <div>
        <Button look="primary" type="submit" isBusy={keep.isPending} reasonDisabled={reason}>
          Join
        </Button>
      </div>
    </form>
  );
}
