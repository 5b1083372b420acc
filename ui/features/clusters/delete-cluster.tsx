import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { useToast } from '../../components/toasts.js';
import { TypedDeletion } from '../../components/typed-deletion.js';
import { useDeleteCluster } from './cluster-mutations.js';

/** Deletes a cluster for all its members, once its name was typed. */
export function DeleteCluster({ room: savedCluster, onDeleted }: { room: SavedClusterDetail; onDeleted: () => void }) {
  const remove = useDeleteCluster(savedCluster);
  const say = useToast();
  const name = savedCluster.name.trim();
  const deleteIt = () =>
    remove.mutateAsync().then(
      () => {
        say({ text: `${name} is deleted.` });
        onDeleted();
      },
      () => undefined, // The dialog shows the error.
    );
  return (
    <TypedDeletion
      title={`Delete ${name}`}
      word={name}
      label="Delete the cluster"
      confirmLabel="Delete for everybody"
      failure="The cluster was not deleted."
      error={remove.error}
      isPending={remove.isPending}
      onDelete={() => void deleteIt()}
    >
      Everybody is disconnected, and its boards and posts are deleted. This cannot be undone.
    </TypedDeletion>
  );
}
