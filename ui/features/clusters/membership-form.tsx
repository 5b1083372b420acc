import { type FormEvent, useState } from 'react';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { SwitchField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { handleFault } from './cluster-format.js';
import { usePatchSavedCluster } from './cluster-mutations.js';
import { MembershipNames } from './membership-fields.js';

/** How the operator takes part in a saved cluster. The switch applies at once, handle and visibility when saved. */
export function MembershipForm({ room: savedCluster }: { room: SavedClusterDetail }) {
  const { cluster_id, handle, vis, held } = savedCluster;
  const [membership, setMembership] = useState({ handle, vis });
  const patch = usePatchSavedCluster(cluster_id);
  const say = useToast();
  const isSame = membership.handle === handle && membership.vis === vis;
  const reason = handleFault(membership.handle) ?? (isSame ? 'No changes.' : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== undefined || patch.isPending) return;
    patch.mutate(membership, { onSuccess: () => say({ text: 'Saved. Others saw the old handle leave.' }) });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div>
        <SwitchField
          label="Stay connected while this tab is closed"
          isOn={held}
          isBusy={patch.isPending}
          onChange={(isHeld) => patch.mutate({ held: isHeld })}
        />
        <p className="quiet small">
          {held
            ? 'The daemon stays connected for you: others see you, and messages are counted as unread. They ' +
              'are not saved.'
            : 'You are connected only while a tab is open. Messages in between are neither counted nor saved.'}
        </p>
      </div>
      <MembershipNames membership={membership} onChange={setMembership} />
      {patch.error && <ErrorPanel what="It was not changed." error={patch.error} />}
      <div>
        <Button type="submit" isBusy={patch.isPending} reasonDisabled={reason}>
          Save presence
        </Button>
      </div>
    </form>
  );
}
