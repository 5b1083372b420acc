import { ApiError } from '../lib/api.js';
import { Button } from './button.js';
import { nextStep } from './next-step.js';
import styles from './panels.module.css';
import { CopyButton } from './text/copy-button.js';

/** An error in words, with one next step and the id under which the daemon logged it. */
export function ErrorPanel({ what, error, onRetry }: { what: string; error: unknown; onRetry?: () => void }) {
  const isRefusal = error instanceof ApiError;
  const step = isRefusal && nextStep(error.status);
  return (
    <div className={styles.error} role="alert">
      <p>
        <strong>{what}</strong>
      </p>
      <p>{isRefusal ? error.message : 'This panel failed to draw. The rest of the page still works.'}</p>
      {step && <p className="small">{step}</p>}
      <div className="cluster">
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
        {isRefusal && error.id && <CopyButton text={error.id} label="Copy error id" />}
        {isRefusal && <code className="small quiet">{error.code}</code>}
        {!isRefusal && error instanceof Error && (
          <CopyButton text={error.stack ?? error.message} label="Copy details" />
        )}
      </div>
    </div>
  );
}

/** Placeholder rows of the real row height, shown only when loading takes long. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no identity.
        <div key={row} className={styles.bone} />
      ))}
    </div>
  );
}
