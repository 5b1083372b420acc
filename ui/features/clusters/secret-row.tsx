import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/text/copy-button.js';
import styles from './clusters.module.css';
import { maskedToken } from './invite.js';

/** A token of a cluster, masked until it is revealed. It can be copied without being shown. */
export function SecretRow({ token, name, actions }: { token: string; name: string; actions?: ReactNode }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <div className={styles.secret}>
      <span className={styles.secretText}>
        {isShown ? (
          token
        ) : (
          <>
            <span aria-hidden="true">{maskedToken(token)}</span>
            <span className="visually-hidden">
              {name}, ending in {token.slice(-4)}
            </span>
          </>
        )}
      </span>
      <span className="cluster">
        <CopyButton text={token} label="Copy" />
        <Button isSmall aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
        {actions}
      </span>
    </div>
  );
}
