import { type FormEvent, useState } from 'react';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/states.js';
import { useKeepRoom } from './room-mutations.js';
import { handleFault, hereWords } from './room-words.js';
import styles from './rooms.module.css';
import { SeatFields } from './seat-fields.js';

/** The form before joining: handle and visibility. Nobody sees the operator before it is submitted. */
export function JoinForm({ room, onJoined }: { room: RoomDetail; onJoined: () => void }) {
  const [seat, setSeat] = useState({ handle: room.handle, vis: room.vis, held: room.held });
  const keep = useKeepRoom();
  const reason = handleFault(seat.handle);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === undefined && !keep.isPending) {
      const { cluster_id, token } = room;
      keep.mutate({ cluster_id, ...(token && { token }), ...seat }, { onSuccess: onJoined });
    }
  };
  return (
    <form className={`stack ${styles.narrow}`} onSubmit={submit} aria-label="Join">
      <p>
        {hereWords(room.online).replace(/^./, (letter) => letter.toUpperCase())}. Earlier messages are not available.
        You are not visible yet.
      </p>
      <SeatFields seat={seat} onChange={setSeat} />
      {keep.error && <ErrorPanel what="You could not join." error={keep.error} />}
      <div>
        <Button look="primary" type="submit" isBusy={keep.isPending} reasonDisabled={reason}>
          Join
        </Button>
      </div>
    </form>
  );
}
