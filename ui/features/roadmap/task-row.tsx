import { Link } from '@tanstack/react-router';
import type { RoadmapTask } from '../../../daemon/contract/work/roadmap.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import rows from '../../components/rows.module.css';
import { StatusMark } from '../../components/status-mark.js';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './roadmap.module.css';

/** A task of the roadmap: title, member, state, and its conversation. */
export function TaskRow({
  task,
  isBusy,
  onState,
  onEdit,
}: {
  task: RoadmapTask;
  isBusy: boolean;
  onState: (state: 'open' | 'done') => void;
  onEdit: () => void;
}) {
  const { id, text, member, state, reason, conv, step, attempt } = task;
  return (
    <li className={state === 'blocked' ? `${styles.task} ${rows.trouble}` : styles.task}>
      <Flag id={member ?? 'developer'} size={24} isRaised={state === 'running'} />
      <div className={styles.words}>
        <p className={state === 'done' ? styles.done : undefined}>
          <code className="quiet">{id}</code> {toDisplayText(text)}
        </p>
        <p className="small quiet">
          {member ?? 'developer, as no member is named'}
          {conv && (
            <>
              {' · '}
              <Link to="/talk/$conv" params={{ conv }} data-row="">
                {state === 'running' ? 'Watch' : 'Conversation'}
              </Link>
            </>
          )}
        </p>
        <Terms task={task} />
        <Progress step={step} attempt={attempt ?? 1} />
        {reason && <p className={styles.reason}>{toDisplayText(reason)}</p>}
      </div>
      <span className={styles.state}>
        {state === 'running' ? <StatusMark word="working" /> : <Badge tone={badges[state]}>{state}</Badge>}
      </span>
      <span className={styles.acts}>
        {state !== 'running' && (
          <Button isSmall look="quiet" isBusy={isBusy} onClick={() => onState(state === 'open' ? 'done' : 'open')}>
            {state === 'open' ? 'Mark done' : 'Reopen'}
            <span className="visually-hidden"> {id}</span>
          </Button>
        )}
        <Button isSmall look="quiet" onClick={onEdit}>
          Edit<span className="visually-hidden"> {id}</span>
        </Button>
      </span>
    </li>
  );
}

const badges = { open: undefined, done: 'well', blocked: 'failed' } as const;

export function Progress({ step, attempt }: { step: RoadmapTask['step']; attempt: number }) {
  const words = [step === 'checking' && 'Its check runs', attempt > 1 && `Attempt ${attempt}: its check failed`];
  return words.some(Boolean) && <p className="small quiet">{words.filter(Boolean).join(' · ')}</p>;
}

/** What the task waits for, and what must pass before it is done. */
export function Terms({ task: { after, waits_for, check } }: { task: RoadmapTask }) {
  const order = waits_for.length > 0 ? `Waits for ${waits_for.join(', ')}` : `After ${after.join(', ')}`;
  const words = [after.length > 0 && order, check !== null && `Check: ${toDisplayText(check)}`].filter(Boolean);
  return words.length > 0 && <p className="small quiet">{words.join(' · ')}</p>;
}
