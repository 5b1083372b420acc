import { type FormEvent, useState } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { propsPatch, rulesProblems, toDraft } from '../boards/rules/rules-draft.js';
import { RulesFields } from '../boards/rules/rules-fields.js';
import { usePatchCluster } from './cluster-mutations.js';

/** The form with which the admin changes the rules that boards and posts of a cluster inherit. */
export function RulesForm({
  room: savedCluster,
  cluster,
  onDone,
}: {
  room: SavedClusterDetail;
  cluster: Cluster;
  onDone: () => void;
}) {
  // The rules as they were opened: they may change meanwhile.
  const [base] = useState(cluster.props);
  const [draft, setDraft] = useState(() => toDraft(base));
  const patch = usePatchCluster(savedCluster);
  const say = useToast();
  const problems = rulesProblems(draft);
  const isFaulty = Object.keys(problems).length > 0;
  const change = isFaulty ? undefined : propsPatch(draft, base);
  const reason = isFaulty ? 'Fix the marked fields first.' : change === undefined ? 'No changes.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change === undefined || patch.isPending) return;
    patch.mutate(
      { props: change },
      {
        onSuccess: () => {
          say({ text: 'Rules saved. They apply to new posts.' });
          onDone();
        },
      },
    );
  };
  return (
    <form className="stack" onSubmit={submit} aria-label="Rules">
      <RulesFields draft={draft} problems={problems} onChange={setDraft} room={null} />
      {patch.error && <ErrorPanel what="The rules were not changed." error={patch.error} />}
      <div className="cluster">
        <Button look="primary" type="submit" isBusy={patch.isPending} reasonDisabled={reason}>
          Save the rules
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
