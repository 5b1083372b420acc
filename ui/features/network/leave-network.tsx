import { useState } from 'react';
import type { NetworkStatus } from '../../../daemon/contract/shared/network.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useLeaveNetwork } from './network-queries.js';

/** Leaves the network, after a dialog that says what that means. */
export function LeaveNetwork({ status: { network, state } }: { status: NetworkStatus }) {
  const [isAsking, setIsAsking] = useState(false);
  const leave = useLeaveNetwork();
  const say = useToast();
  const name = network ?? '';
  const close = () => {
    leave.reset();
    setIsAsking(false);
  };
  const go = async () => {
    try {
      await leave.mutateAsync(undefined);
    } catch {
      return; // It is shown in the dialog.
    }
    say({ text: `This daemon left the network ${name}.` });
  };
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>Leave the network</Button>
      {isAsking && (
        <Dialog title={`Leave ${name}`} onClose={close}>
          <ul className="meaning">
            <li>What was shared until now stays here. Later changes of other daemons are not received.</li>
            <li>The credentials for its servers are deleted from .mesh/credentials.</li>
            <li>
              {state === 'connecting'
                ? 'The servers cannot be told now: other daemons see this one as absent, not as left.'
                : 'Other daemons see that this one left.'}
            </li>
            <li>You can join {toDisplayText(name)} again, with its address and credentials.</li>
          </ul>
          {leave.error && <ErrorPanel what="The network was not left." error={leave.error} />}
          <DialogActions>
            <Button onClick={close}>Stay</Button>
            <Button look="danger" isBusy={leave.isPending} onClick={() => void go()}>
              Leave
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
