import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { useToast } from '../../components/toasts.js';
import { TypedDeletion } from '../../components/typed-deletion.js';
import { useDeleteCluster } from './room-mutations.js';

/** Deletes a cluster for all its members, once its name was typed. */
export function DeleteRoom({ room, onDeleted }: { room: RoomDetail; onDeleted: () => void }) {
  const remove = useDeleteCluster(room);
  const say = useToast();
  const name = room.name.trim();
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
