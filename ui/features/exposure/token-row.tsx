import { useState } from 'react';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/states.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './api-access.module.css';
import { useRotateToken } from './exposure-queries.js';

interface TokenRowProps {
  member: MemberDetail & { token: string };
  /** Number of programs that used the token within the hour. They lose access when it changes. */
  callersInTheHour: number;
  onRevoke: () => void;
}

/** The member token: masked until it is revealed, copied without being shown, rotated or revoked. */
export function TokenRow({ member, callersInTheHour, onRevoke }: TokenRowProps) {
  const [isShown, setIsShown] = useState(false);
  const [asks, setAsks] = useState<'rotate' | 'revoke'>();
  const rotate = useRotateToken(member.id);
  const say = useToast();
  const used =
    callersInTheHour === 0
      ? 'No caller used it in the last hour.'
      : `${callersInTheHour} ${callersInTheHour === 1 ? 'caller' : 'callers'} used it in the last hour.`;
  return (
    <div className={styles.token}>
      <span className={styles.secret}>{isShown ? member.token : <Masked last4={member.token.slice(-4)} />}</span>
      <div className="cluster">
        <CopyButton text={member.token} label="Copy" />
        <Button isSmall aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
        <Button isSmall onClick={() => setAsks('rotate')}>
          Rotate
        </Button>
        <Button isSmall look="danger" onClick={() => setAsks('revoke')}>
          Revoke
        </Button>
      </div>
      {asks === 'rotate' && (
        <RotateDialog
          used={used}
          isBusy={rotate.isPending}
          error={rotate.error}
          onRotate={() =>
            rotate.mutate(undefined, {
              onSuccess: () => {
                setAsks(undefined);
                say({ text: `${member.name} has a new token. The old one no longer works.` });
              },
            })
          }
          onClose={() => setAsks(undefined)}
        />
      )}
      {asks === 'revoke' && (
        <RevokeDialog
          name={member.name}
          used={used}
          onRevoke={() => {
            setAsks(undefined);
            onRevoke();
          }}
          onClose={() => setAsks(undefined)}
        />
      )}
    </div>
  );
}

interface RotateDialogProps {
  /** How many callers used the token, as a sentence. */
  used: string;
  isBusy: boolean;
  error: Error | null;
  onRotate: () => void;
  onClose: () => void;
}

function RotateDialog({ used, isBusy, error, onRotate, onClose }: RotateDialogProps) {
  return (
    <Dialog title="Rotate the token" onClose={onClose}>
      <p>The old token stops working now. {used}</p>
      {error && <ErrorPanel what="The token was not rotated." error={error} />}
      <DialogActions>
        <Button onClick={onClose}>Keep the old token</Button>
        <Button look="primary" isBusy={isBusy} onClick={onRotate}>
          Rotate
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface RevokeDialogProps extends Pick<RotateDialogProps, 'used' | 'onClose'> {
  name: string;
  onRevoke: () => void;
}

function RevokeDialog({ name, used, onRevoke, onClose }: RevokeDialogProps) {
  return (
    <Dialog title="Revoke the token" onClose={onClose}>
      <p>
        Revoking makes it internal: no program can ask {toDisplayText(name)} until you expose it again, with a new
        token. {used}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Keep it exposed</Button>
        <Button look="danger" onClick={onRevoke}>
          Revoke
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Masked({ last4 }: { last4: string }) {
  return (
    <>
      <span aria-hidden="true">••••{last4}</span>
      <span className="visually-hidden">Token ending in {last4}</span>
    </>
  );
}
