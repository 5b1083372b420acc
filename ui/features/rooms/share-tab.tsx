import { useState } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { shownWords } from '../../lib/shown-words.js';
import { inviteText, maskedToken } from './invite.js';
import { LeaveRoom } from './leave-room.js';
import { PasteToken } from './paste-token.js';
import { usePatchRoom } from './room-mutations.js';
import styles from './rooms.module.css';
import { SeatForm } from './seat-form.js';
import { SecretRow } from './secret-row.js';

interface ShareTabProps {
  room: RoomDetail;
  cluster: Cluster;
  isKept: boolean;
  origin: string;
  onLeft: () => void;
}

/** How others can join, the tokens saved here, and how the operator takes part. */
export function ShareTab({ room, cluster, isKept, origin, onLeft }: ShareTabProps) {
  return (
    <div className={`sections ${styles.narrow}`}>
      {cluster.visibility === 'public' ? (
        <PublicLink cluster={cluster} origin={origin} />
      ) : (
        <Invitation room={room} origin={origin} />
      )}
      {isKept && (
        <>
          <Tokens room={room} />
          <Section title="Your presence">
            <div className="stack" style={{ paddingTop: 12 }}>
              <SeatForm key={`${room.handle} ${room.vis}`} room={room} />
            </div>
          </Section>
          <Section title="Leave">
            <div className="stack" style={{ paddingTop: 12 }}>
              <p className="quiet">
                You leave, and this daemon deletes the saved cluster and its tokens. The cluster itself is not changed.
              </p>
              <div>
                <LeaveRoom room={room} onLeft={onLeft} />
              </div>
            </div>
          </Section>
        </>
      )}
    </div>
  );
}

function PublicLink({ cluster, origin }: { cluster: Cluster; origin: string }) {
  const slug = cluster.slug ?? cluster.id;
  return (
    <Section title="Share">
      <div className="stack" style={{ paddingTop: 12 }}>
        <p>Anybody can join with its id or slug. No token is needed.</p>
        <CodeBlock label="Its page" text={`${origin}/clusters/${slug}`} />
        <CodeBlock label="Its id" text={cluster.id} />
        <CodeBlock
          label="In a terminal"
          text={`meshd cluster watch ${slug}\nmeshd cluster say ${slug} "Good morning" --as ada`}
          wraps
        />
      </div>
    </Section>
  );
}

function Invitation({ room, origin }: { room: RoomDetail; origin: string }) {
  const { cluster_id, name, token } = room;
  const [isShown, setIsShown] = useState(false);
  if (token === null) {
    return (
      <Section title="Share">
        <div className="stack" style={{ paddingTop: 12 }}>
          <Notice tone="info">
            <p>The member token is not saved here, so you cannot invite. Never share the admin token.</p>
          </Notice>
          <PasteToken room={room} kind="member" />
        </div>
      </Section>
    );
  }
  const text = inviteText({ id: cluster_id, name, token, origin });
  return (
    <Section title="Share">
      <div className="stack" style={{ paddingTop: 12 }}>
        <p>Send this privately to the people you invite. The token is in no URL.</p>
        <CodeBlock
          label="Invite"
          text={isShown ? text : text.replaceAll(token, maskedToken(token))}
          copyText={() => text}
          wraps
          actions={
            <Button isSmall look="quiet" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
              {isShown ? 'Hide the token' : 'Show the token'}
            </Button>
          }
        />
      </div>
    </Section>
  );
}

function Tokens({ room }: { room: RoomDetail }) {
  const { token, admin_token, name } = room;
  const [isAsking, setIsAsking] = useState(false);
  const patch = usePatchRoom(room.cluster_id);
  if (token === null && admin_token === null) return null;
  return (
    <Section title="Saved tokens">
      <div className="stack" style={{ paddingTop: 12 }}>
        {token !== null && (
          <div>
            <h3>Of members</h3>
            <SecretRow token={token} name="Member token" />
          </div>
        )}
        {admin_token !== null && (
          <div>
            <h3>Admin: never share it</h3>
            <SecretRow
              token={admin_token}
              name="Admin token"
              actions={
                <Button isSmall look="danger" onClick={() => setIsAsking(true)}>
                  Forget
                </Button>
              }
            />
          </div>
        )}
        <p className="quiet small">Stored in .mesh/credentials, which only you can read and git ignores.</p>
      </div>
      {isAsking && (
        <Dialog title="Delete the admin token" onClose={() => setIsAsking(false)}>
          <p>Unless you saved it elsewhere, nobody can change the rules of {shownWords(name)} or delete it any more.</p>
          {admin_token !== null && <SecretRow token={admin_token} name="Admin token" />}
          {patch.error && <ErrorPanel what="It was not deleted." error={patch.error} />}
          <DialogActions>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button
              look="danger"
              isBusy={patch.isPending}
              onClick={() => patch.mutate({ admin_token: null }, { onSuccess: () => setIsAsking(false) })}
            >
              Delete it here
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Section>
  );
}
