import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Roadmap } from '../../../daemon/contract/work/roadmap.js';
import { Button, buttonClass } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { ApiError } from '../../lib/api.js';
import styles from './roadmap.module.css';
import { useRunRoadmap, useStopRoadmap } from './roadmap-queries.js';

const BOUNDS = ['1', '2', '3', '4', '5', '6', '7', '8'];

/** Starts ready tasks, at most `limit` at once. Stopping starts no more and lets the running ones end. */
export function RunControls({ roadmap }: { roadmap: Roadmap }) {
  const run = useRunRoadmap();
  const stop = useStopRoadmap();
  const [limit, setLimit] = useState<string>();
  const isReady = roadmap.tasks.some(({ state }) => state === 'open');
  return (
    <div className={styles.run}>
      <SelectField
        label="Parallel tasks"
        value={limit ?? String(roadmap.limit)}
        options={BOUNDS}
        onChange={(event) => {
          setLimit(event.target.value);
          if (roadmap.running) run.mutate({ limit: Number(event.target.value) });
        }}
      />
      {roadmap.running ? (
        <Button look="danger" isBusy={stop.isPending} onClick={() => stop.mutate(undefined)}>
          Stop
        </Button>
      ) : (
        <Button
          look="primary"
          isBusy={run.isPending}
          reasonDisabled={isReady ? undefined : 'No task is open.'}
          onClick={() => run.mutate({ limit: Number(limit ?? roadmap.limit) })}
        >
          Run
        </Button>
      )}
      {stop.error && <ErrorPanel what="The roadmap was not stopped: the run goes on." error={stop.error} />}
      {run.error && <ErrorPanel what="The roadmap was not started." error={run.error} />}
      {run.error instanceof ApiError && run.error.code === 'no_working_client' && (
        <Link to="/models" className={buttonClass('primary', true)}>
          Connect a model
        </Link>
      )}
    </div>
  );
}
