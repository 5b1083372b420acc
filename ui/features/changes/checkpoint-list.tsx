import { useState } from 'react';
import type { Checkpoint } from '../../../daemon/contract/work/changes.js';
import { Button } from '../../components/button.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatCheckpoint, formatCounts, getRange } from './changes-format.js';
import type { Range } from './changes-queries.js';
import { RewindDialog } from './rewind-dialog.js';

interface CheckpointListProps {
  conv: string;
  checkpoints: readonly Checkpoint[];
  problem: string | undefined;
  onShow: (range: Range) => void;
}

/** The checkpoints, newest first, with what each changed. */
export function CheckpointsPanel({ conv, checkpoints, problem, onShow }: CheckpointListProps) {
  const [chosen, setChosen] = useState<Checkpoint>();
  return (
    <details>
      <summary>Checkpoints ({checkpoints.length})</summary>
      <ul className="checkpoints" aria-label="Checkpoints">
        {checkpoints.toReversed().map((one) => {
          const name = formatCheckpoint(one, checkpoints);
          return (
            <li key={one.checkpoint}>
              <span>{name}</span>
              {one.kind !== 'start' && <span className="mono small quiet">{formatCounts(one)}</span>}
              {one.left_out.length > 0 && (
                <span className="small quiet">Not kept: {toDisplayText(one.left_out.join(', '))}</span>
              )}
              {one.others.length > 0 && (
                <span className="small quiet">
                  Holds changes of{' '}
                  {one.others.length === 1 ? 'another conversation' : `${one.others.length} other conversations`}, too.
                </span>
              )}
              <span className="cluster">
                {one.kind !== 'start' && (
                  <Button
                    isSmall
                    look="quiet"
                    aria-label={`Show changes: ${name}`}
                    onClick={() => onShow(getRange(one, checkpoints))}
                  >
                    Show
                  </Button>
                )}
                <Button isSmall look="quiet" aria-label={`Rewind or fork: ${name}`} onClick={() => setChosen(one)}>
                  Rewind or fork
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
      {chosen && (
        <RewindDialog {...{ conv, checkpoints, problem }} checkpoint={chosen} onClose={() => setChosen(undefined)} />
      )}
    </details>
  );
}
