import { Link } from '@tanstack/react-router';
import type { RoadmapTask } from '../../../../daemon/contract/work/roadmap.js';
import { SelectField } from '../../../components/field.js';
import { StatusMark } from '../../../components/status-mark.js';
import { Flag } from '../../../components/text/flag.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { Progress, Terms } from '../task-row.js';
import { COLUMNS, isWritable, type WritableState } from './board-columns.js';

const STATES = COLUMNS.map(({ state }) => state).filter(isWritable);

interface BoardCardProps {
  task: RoadmapTask;
  isBusy: boolean;
  onState: (state: WritableState) => void;
  onEdit: () => void;
  /** Called when its dragging starts, and with undefined when that ends. */
  onDrag: (id: string | undefined) => void;
}

/** A task on the board. */
export function BoardCard({ task, isBusy, onState, onEdit, onDrag }: BoardCardProps) {
  const { id, text, member, state, reason, conv, step, attempt } = task;
  return (
    <li
      className={state === 'blocked' ? 'card isBlocked' : 'card'}
      data-task={id}
      draggable={isWritable(state)}
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData('text/plain', id);
        onDrag(id);
      }}
      onDragEnd={() => onDrag(undefined)}
      aria-busy={isBusy || undefined}
    >
      <Flag id={member ?? 'developer'} size={24} isRaised={state === 'running'} />
      <div className="cardWords">
        <button type="button" className="cardName" data-row="" onClick={onEdit}>
          <code className="quiet">{id}</code> {toDisplayText(text)}
        </button>
        <p className="small quiet">{member ?? 'developer'}</p>
        <Terms task={task} />
        <Progress step={step} attempt={attempt ?? 1} />
        {reason && <p className="small cardReason">{toDisplayText(reason)}</p>}
      </div>
      <div className="cardFoot">
        {isWritable(state) ? (
          <SelectField
            label={`State of ${id}`}
            hidesLabel
            value={state}
            options={STATES}
            onChange={({ target }) => onState(target.value as WritableState)}
          />
        ) : (
          <StatusMark word="working" />
        )}
        {conv && (
          <Link to="/talk/$conv" params={{ conv }} className="small">
            {state === 'running' ? 'Watch' : 'Conversation'}
            <span className="visually-hidden"> of {id}</span>
          </Link>
        )}
      </div>
    </li>
  );
}
