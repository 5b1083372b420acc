import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Visibility } from '../../../daemon/contract/clusters.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { ChoiceField } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { download } from '../../lib/download.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePatchSavedCluster, useSaveCluster } from './cluster-mutations.js';
import styles from './clusters.module.css';
import type { MembershipChoice } from './membership-fields.js';

const NOT_DECIDED = 'Save, copy or download the token first, or confirm that you do not need it.';

/** A cluster that was just created, with its tokens, which no later response of the cluster API contains. */
export interface CreatedCluster {
  cluster_id: string;
  name: string;
  visibility: Visibility;
  token: string | null;
  admin_token: string | null;
  membership: MembershipChoice;
  /** Its tokens are saved. */
  isSaved: boolean;
}

/**
 * Shows the admin token of a new cluster, once, after it was saved. To continue, the operator must leave it saved, copy
 * or download it, or state that it is not needed. Esc and the close button only show that choice.
 */
export function AdminTokenStep({ room: savedCluster, onDone }: { room: CreatedCluster; onDone: () => void }) {
  const { cluster_id, name, token, admin_token } = savedCluster;
  const [isSaved, setIsSaved] = useState(true);
  const [hasTaken, setHasTaken] = useState(false);
  const [doesWithout, setDoesWithout] = useState(false);
  const { isAsked, ask, leave } = useDecision(onDone);
  const { keep, change, goOn } = useContinue(savedCluster, isSaved, leave);
  return (
    <Dialog title="Admin token, shown once" onClose={ask}>
      <p>
        <strong>{toDisplayText(name)}</strong> is created. Whoever has this token can change its rules, create boards
        and delete it. It is not shown again.
      </p>
      <p className={styles.secretBox}>{admin_token ?? 'It was already shown and cannot be shown again.'}</p>
      {admin_token && <CopyTokenButtons id={cluster_id} token={admin_token} onTaken={() => setHasTaken(true)} />}
      <ChoiceField
        checked={isSaved}
        onChange={(event) => setIsSaved(event.target.checked)}
        label="Save it to .mesh/credentials"
        hint={`${
          savedCluster.isSaved ? 'It is saved. If you clear this, it is deleted there when you continue. ' : ''
        }Only you can read that folder, and git ignores it. The dashboard can then use the token.`}
      />
      {!isSaved && !hasTaken && (
        <ChoiceField
          checked={doesWithout}
          onChange={(event) => setDoesWithout(event.target.checked)}
          label="I will lose admin rights"
          hint="Nobody will be able to change this cluster’s rules or delete it."
        />
      )}
      {isAsked && (
        <Notice tone="needs" isAlert>
          <p>This dialog stays open: the token is shown only here. Choose what to do with it, then continue.</p>
        </Notice>
      )}
      {keep.error && <NotSaved error={keep.error} token={token} />}
      {change.error && <ErrorPanel what="The token was not deleted." error={change.error} />}
      <DialogActions>
        {keep.error && (
          <Button reasonDisabled={hasTaken ? undefined : 'Copy or download the admin token first.'} onClick={leave}>
            Continue without saving it
          </Button>
        )}
        <Button
          look="primary"
          isBusy={keep.isPending || change.isPending}
          reasonDisabled={isSaved || hasTaken || doesWithout ? undefined : NOT_DECIDED}
          onClick={goOn}
        >
          Continue
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Blocks navigation and closing the tab until the operator has decided. `isAsked` means that one was tried. */
function useDecision(onDone: () => void) {
  const [isAsked, setIsAsked] = useState(false);
  const isDone = useRef(false);
  useBlocker({
    shouldBlockFn: () => {
      if (!isDone.current) setIsAsked(true);
      return !isDone.current;
    },
    enableBeforeUnload: () => !isDone.current,
  });
  return {
    isAsked,
    ask: () => setIsAsked(true),
    leave: () => {
      isDone.current = true;
      onDone();
    },
  };
}

/** Returns how the step ends: the token stays saved or is deleted; what could not be saved is saved again. */
function useContinue(created: CreatedCluster, isSaved: boolean, leave: () => void) {
  const { cluster_id, token, admin_token, membership, isSaved: isStored } = created;
  const keep = useSaveCluster();
  const change = usePatchSavedCluster(cluster_id);
  const goOn = () => {
    if (isStored && isSaved) leave();
    else if (isStored) change.mutate({ admin_token: null }, { onSuccess: leave });
    else
      keep.mutate(
        { cluster_id, ...(token && { token }), ...(isSaved && admin_token && { admin_token }), ...membership },
        { onSuccess: leave },
      );
  };
  return { keep, change, goOn };
}

/** The buttons with which the operator copies or downloads the token. */
function CopyTokenButtons({ id, token, onTaken }: { id: string; token: string; onTaken: () => void }) {
  return (
    <div className="cluster">
      {/* The button reports whether copying succeeded. Here a click on it counts. */}
      <span onClickCapture={onTaken}>
        <CopyButton text={token} label="Copy" />
      </span>
      <Button
        isSmall
        onClick={() => {
          download(`${id}-admin-token.txt`, `${token}\n`);
          onTaken();
        }}
      >
        Download
      </Button>
    </div>
  );
}

function NotSaved({ error, token }: { error: Error; token: string | null }) {
  return (
    <>
      <ErrorPanel
        what="The cluster was created but could not be saved. Only this dialog has its tokens."
        error={error}
      />
      {token && <p className={styles.secretBox}>{token}</p>}
    </>
  );
}
