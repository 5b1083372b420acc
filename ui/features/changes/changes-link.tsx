import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../components/button.js';
import { formatCounts, getRange } from './changes-format.js';
import { changesQuery, checkpointsQuery } from './changes-queries.js';
import { RewindDialog } from './rewind-dialog.js';

const WHOLE = { from: undefined, to: undefined };

/** The link from a conversation to what it changed. Absent until it has changed a file. */
export function ChangesLink({ conv }: { conv: string }) {
  const { data: isTracked = false } = useQuery({
    ...checkpointsQuery(conv),
    select: ({ checkpoints }) => checkpoints.some(({ kind }) => kind !== 'start'),
  });
  const { data: changes } = useQuery({ ...changesQuery(conv, WHOLE), enabled: isTracked });
  if (!isTracked) return null;
  return (
    <Link to="/talk/$conv/changes" params={{ conv }} className={buttonClass('quiet', true)}>
      Changes{changes && changes.problem === null && ` ${formatCounts({ ...changes, files: changes.count })}`}
    </Link>
  );
}

interface TurnChangesProps {
  conv: string;
  turn: string;
  /** A turn of the conversation is running, so nothing can be rewound. */
  isRunning: boolean;
}

/** What a turn changed, with a link to it and the way back to its end. Absent for a turn that changed no file. */
export function TurnChanges({ conv, turn, isRunning }: TurnChangesProps) {
  const { data: checkpoints = [] } = useQuery({ ...checkpointsQuery(conv), select: (list) => list.checkpoints });
  const [isRewinding, setIsRewinding] = useState(false);
  const checkpoint = checkpoints.find((one) => one.kind === 'turn' && one.turn === turn);
  if (!checkpoint) return null;
  const { from, to } = getRange(checkpoint, checkpoints);
  return (
    <p className="cluster small">
      <Link
        to="/talk/$conv/changes"
        params={{ conv }}
        search={{ since: from, until: to }}
        className={buttonClass('quiet', true)}
      >
        Show changes <span className="mono">{formatCounts(checkpoint)}</span>
      </Link>
      <Button isSmall look="quiet" onClick={() => setIsRewinding(true)}>
        Rewind or fork
      </Button>
      {isRewinding && (
        <RewindDialog
          {...{ conv, checkpoint, checkpoints }}
          problem={isRunning ? RUNNING : undefined}
          onClose={() => setIsRewinding(false)}
        />
      )}
    </p>
  );
}

/** Why nothing is rewound while a turn runs. */
export const RUNNING = 'A turn is running. Stop it first, or wait for its end.';
