import { useState } from 'react';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useLeaveCluster, useSaveCluster } from './cluster-mutations.js';
import { SecretRow } from './secret-row.js';

/**
 * Leaves a cluster and deletes its tokens here; the toast offers an undo. Asks first when the admin token would be
 * lost.
 */
export function LeaveCluster({ room: savedCluster, onLeft }: { room: SavedClusterDetail; onLeft: () => void }) {
  const { cluster_id, name, token, admin_token, handle, vis, held } = savedCluster;
  const [isAsking, setIsAsking] = useState(false);
  const leave = useLeaveCluster();
  const keep = useSaveCluster();
  const say = useToast();
  const go = async () => {
    try {
      await leave.mutateAsync(cluster_id);
    } catch (error) {
      say({ text: `You could not leave ${name}. ${(error as Error).message}`, tone: 'failed' });
      return;
    }
    // The component may be unmounted by then, so the undo must not depend on it.
    const undo = () =>
      keep
        .mutateAsync({ cluster_id, ...(token && { token }), ...(admin_token && { admin_token }), handle, vis, held })
        .then(
          () => say({ text: `You rejoined ${name}.` }),
          (error: Error) => say({ text: `You could not rejoin ${name}. ${error.message}`, tone: 'failed' }),
        );
    say({ text: `You left ${name}.`, action: { label: 'Undo', run: () => void undo() } });
    onLeft();
  };
  return (
    <>
      <Button isBusy={leave.isPending} onClick={() => (admin_token === null ? void go() : setIsAsking(true))}>
        Leave the cluster
      </Button>
      {isAsking && admin_token !== null && (
        <Dialog title={`Leave ${name}`} onClose={() => setIsAsking(false)}>
          <p>
            Its admin token is deleted too. Unless you saved it elsewhere, nobody can change the rules of{' '}
            {toDisplayText(name)} or delete it any more.
          </p>
          <SecretRow token={admin_token} name="Admin token" />
          <DialogActions>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button look="danger" isBusy={leave.isPending} onClick={() => void go()}>
              Leave and delete the tokens
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
