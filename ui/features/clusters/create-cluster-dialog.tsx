import { type FormEvent, useState } from 'react';
import type { ClusterBody, Visibility } from '../../../daemon/contract/clusters.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { ChoiceField, TextArea, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { dropSent, useChangeDraft } from '../../lib/change-draft.js';
import { useDraft } from '../../lib/drafts.js';
import { AdminTokenStep, type CreatedCluster } from './admin-token-step.js';
import { handleFault } from './cluster-format.js';
import { useCreateCluster, useSaveCluster } from './cluster-mutations.js';
import styles from './clusters.module.css';
import { DEFAULT_MEMBERSHIP, type MembershipChoice, MembershipFields } from './membership-fields.js';

const NAME_MAX = 80;
const TOPIC_MAX = 80;
const DESCRIPTION_MAX = 1_000;

interface ClusterDraft {
  name: string;
  visibility: Visibility;
  topic: string;
  description: string;
  membership: MembershipChoice;
}

const EMPTY: ClusterDraft = {
  name: '',
  visibility: 'private',
  topic: '',
  description: '',
  membership: DEFAULT_MEMBERSHIP,
};

/** The cluster that is being described, kept when the dialog is closed, and its creation. */
function useNewCluster() {
  const draft = useDraft<ClusterDraft>('room.new', EMPTY);
  const change = useChangeDraft<ClusterDraft>('room.new');
  const { name, visibility, topic, description, membership } = draft.value;
  const [created, setCreated] = useState<CreatedCluster>();
  const create = useCreateCluster();
  const save = useSaveCluster();
  const isPending = create.isPending || save.isPending;
  const reason = name.trim() === '' ? 'Enter a name first.' : handleFault(membership.handle);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== undefined || isPending) return;
    const body: ClusterBody = { name: name.trim(), visibility, topic: topic.trim(), description: description.trim() };
    create.mutateAsync(body).then(
      async ({ cluster_id, token, admin_token }) => {
        // The tokens are saved before they are shown, and when the dialog is gone: no other response has them.
        const isSaved = await save
          .mutateAsync({ cluster_id, ...(token && { token }), ...(admin_token && { admin_token }), ...membership })
          .then(
            () => true,
            () => false,
          );
        setCreated({ cluster_id, name: name.trim(), visibility, token, admin_token, membership, isSaved });
        change(dropSent(draft.value));
      },
      () => undefined,
    );
  };
  return {
    values: draft.value,
    set: (changed: Partial<ClusterDraft>) => draft.set({ ...draft.value, ...changed }),
    /** Why it cannot be created yet. */
    reason,
    submit,
    isPending,
    error: create.error,
    created,
  };
}

/** Creates a cluster, then shows its admin token, once. */
export function CreateClusterDialog({ onClose, onDone }: { onClose: () => void; onDone: (id: string) => void }) {
  const { values, set, reason, submit, isPending, error, created } = useNewCluster();
  const { name, visibility, topic, description, membership } = values;
  // The pending response holds the only copy of the tokens, so the dialog stays open.
  const close = () => {
    if (!isPending) onClose();
  };
  if (created) return <AdminTokenStep room={created} onDone={() => onDone(created.cluster_id)} />;
  return (
    <Dialog title="New cluster" onClose={close}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Name"
          value={name}
          maxLength={NAME_MAX}
          onChange={(event) => set({ name: event.target.value })}
        />
        <VisibilityChoice chosen={visibility} onChoose={(chosen) => set({ visibility: chosen })} />
        <TextField
          label="Topic"
          hint="A few words, such as #harbour."
          value={topic}
          maxLength={TOPIC_MAX}
          onChange={(event) => set({ topic: event.target.value })}
        />
        <TextArea
          label="Description"
          rows={2}
          value={description}
          maxLength={DESCRIPTION_MAX}
          onChange={(event) => set({ description: event.target.value })}
        />
        <details className={styles.membership}>
          <summary>You appear as {membership.handle || '…'}</summary>
          <div className="stack" style={{ paddingTop: 12 }}>
            <MembershipFields membership={membership} onChange={(chosen) => set({ membership: chosen })} />
          </div>
        </details>
        {error && <ErrorPanel what="The cluster was not created." error={error} />}
        <FormActions submitLabel="Create" isBusy={isPending} reasonDisabled={reason} onClose={close} />
      </form>
    </Dialog>
  );
}

interface VisibilityChoiceProps {
  chosen: Visibility;
  onChoose: (visibility: Visibility) => void;
}

function VisibilityChoice({ chosen, onChoose }: VisibilityChoiceProps) {
  return (
    <fieldset>
      <legend className={styles.legend}>Who may join</legend>
      <ChoiceField
        type="radio"
        name="visibility"
        checked={chosen === 'private'}
        onChange={() => onChoose('private')}
        label="Private"
        hint="Only holders of its token. It is not listed."
      />
      <ChoiceField
        type="radio"
        name="visibility"
        checked={chosen === 'public'}
        onChange={() => onChoose('public')}
        label="Public"
        hint="Any program that can reach this daemon. It is listed in the catalog and has a page."
      />
    </fieldset>
  );
}
