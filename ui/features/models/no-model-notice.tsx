import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { usePatchPreferences } from '../system/system-mutations.js';
import { clientsQuery, preferencesQuery } from '../system/system-queries.js';
import styles from './models.module.css';

/** Whether no model is connected; false until it is known. */
const useLacksModel = (): boolean => useQuery(clientsQuery()).data?.model_connected === false;

function ConnectLink() {
  return (
    <Link to="/models" className={buttonClass('secondary', true)}>
      Connect a model
    </Link>
  );
}

/**
 * The state in which no model is connected: what works, what does not, and the way to connect one. Nothing once a model
 * serves. On the home page it can be hidden; the other pages then keep one short line.
 */
export function NoModelNotice({
  isHome = false,
  isWorker = false,
  otherwise = null,
}: {
  isHome?: boolean;
  isWorker?: boolean;
  /** Shown when a model is connected. */
  otherwise?: ReactNode;
}) {
  const lacksModel = useLacksModel();
  const isHidden = useQuery(preferencesQuery()).data?.no_model_hidden;
  const patch = usePatchPreferences();
  if (!lacksModel) return otherwise;
  if (isHidden === undefined || (isHome && isHidden)) return null;
  return (
    <NoModelLine
      isShort={isHidden}
      isWorker={isWorker}
      onHide={isHome ? () => patch.mutate({ no_model_hidden: true }) : undefined}
    />
  );
}

interface NoModelLineProps {
  isShort?: boolean;
  /** The page is about a member that works. */
  isWorker?: boolean;
  onHide?: (() => void) | undefined;
}

export function NoModelLine({ isShort = false, isWorker = false, onHide }: NoModelLineProps) {
  return (
    <Notice tone="info">
      <div className={`cluster ${styles.line}`}>
        <p>
          <strong>No model connected: search only.</strong>{' '}
          {isWorker
            ? 'This member works on tasks and starts once a model is connected.'
            : !isShort &&
              'Questions are answered with quotes from this project. Editing, tasks and free conversation need a model.'}
        </p>
        <span className="cluster">
          <ConnectLink />
          {onHide && (
            <Button look="quiet" isSmall onClick={onHide}>
              Hide on Home
            </Button>
          )}
        </span>
      </div>
    </Notice>
  );
}
