import { useState } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { CodeBlock } from '../../components/text/code-block.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePatchSavedCluster } from './cluster-mutations.js';
import styles from './clusters.module.css';
import { inviteText, maskedToken } from './invite.js';
import { LeaveCluster } from './leave-cluster.js';
import { MembershipForm } from './membership-form.js';
import { PasteToken } from './paste-token.js';
import { SecretRow } from './secret-row.js';

interface ShareTabProps {
  room: SavedClusterDetail;
  cluster: Cluster;
  isSaved: boolean;
  origin: string;
  onLeft: () => void;
}

/** How others can join, the tokens saved here, and how the operator takes part. */
export function ShareTab({ room: savedCluster, cluster, isSaved: isKept, origin, onLeft }: ShareTabProps) {
  return (
    <div className={`sections ${styles.narrow}`}>
      {cluster.visibility === 'public' ? (
        <PublicLink cluster={cluster} origin={origin} />
      ) : (
        <Invitation room={savedCluster} origin={origin} />
      )}
      {isKept && (
        <>
          <Tokens room={savedCluster} />
          <Section title="Your presence">
            <div className="stack" style={{ paddingTop: 12 }}>
              <MembershipForm key={`${savedCluster.handle} ${savedCluster.vis}`} room={savedCluster} />
            </div>
          </Section>
          <Section title="Leave">
            <div className="stack" style={{ paddingTop: 12 }}>
              <p className="quiet">
                You leave, and this daemon deletes the saved cluster and its tokens. The cluster itself is not changed.
              </p>
              <div>
                <LeaveCluster room={savedCluster} onLeft={onLeft} />
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

function Invitation({ room: savedCluster, origin }: { room: SavedClusterDetail; origin: string }) {
  const { cluster_id, name, token } = savedCluster;
  const [isShown, setIsShown] = useState(false);
  if (token === null) {
    return (
      <Section title="Share">
        <div className="stack" style={{ paddingTop: 12 }}>
          <Notice tone="info">
            <p>The member token is not saved here, so you cannot invite. Never share the admin token.</p>
          </Notice>
          <PasteToken room={savedCluster} kind="member" />
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

function Tokens({ room: savedCluster }: { room: SavedClusterDetail }) {
  const { token, admin_token, name } = savedCluster;
  const [isAsking, setIsAsking] = useState(false);
  const patch = usePatchSavedCluster(savedCluster.cluster_id);
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
          <p>
            Unless you saved it elsewhere, nobody can change the rules of {toDisplayText(name)} or delete it any more.
          </p>
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
