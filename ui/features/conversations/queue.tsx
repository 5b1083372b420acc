import type { Message } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './transcript/transcript.module.css';
import type { QueueActions } from './use-queue.js';

/** The messages queued behind the running turn, in order. Each can be removed until its turn starts. */
export function Queue({ queue, acts }: { queue: readonly Message[]; acts: Pick<QueueActions, 'drop' | 'dropAll'> }) {
  return (
    <section className={styles.queue} aria-label="Waiting">
      <div className={styles.queueHead}>
        <h2>
          {queue.length} {queue.length === 1 ? 'waits' : 'wait'}
        </h2>
        {queue.length > 1 && (
          <Button isSmall look="danger" onClick={() => acts.dropAll(queue)}>
            Remove all
          </Button>
        )}
      </div>
      <ol>
        {queue.map((message) => (
          <li key={message.id} className={styles.queued}>
            <span className="truncate">{toDisplayText(message.text)}</span>
            <Button isSmall look="quiet" onClick={() => acts.drop(message)}>
              Remove<span className="visually-hidden"> “{toDisplayText(message.text.slice(0, 60))}”</span>
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}
