import type { ToolCall } from '../../../../daemon/contract/conversations.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatCall } from '../conversation-format.js';
import styles from './transcript.module.css';

const marks: Record<ToolCall['state'], string> = {
  running: 'M3 8h.01M8 8h.01M13 8h.01',
  done: 'm2.500 8.500 3.500 3.500 7.500-8',
  failed: 'm4 4 8 8M12 4l-8 8',
};

/** The tool calls of a turn in order: tool, target, duration, and the output below. */
export function ToolRows({
  calls,
  isWaitingForYou = false,
}: {
  calls: readonly ToolCall[];
  isWaitingForYou?: boolean;
}) {
  if (calls.length === 0) return null;
  return (
    <ul className={styles.tools} aria-label="Tools used">
      {calls.map((call, at) => (
        <ToolRow key={call.id} call={call} isWaitingForYou={isWaitingForYou && at === calls.length - 1} />
      ))}
    </ul>
  );
}

function ToolRow({ call, isWaitingForYou }: { call: ToolCall; isWaitingForYou: boolean }) {
  const word = call.state !== 'running' ? call.state : isWaitingForYou ? 'needs you' : 'working';
  const line = (
    <>
      <svg
        className={`${styles.toolMark} ${styles[call.state]}`}
        viewBox="0 0 16 16"
        aria-hidden="true"
        focusable="false"
      >
        <path d={marks[call.state]} />
      </svg>
      <span className={styles.toolWords}>{formatCall(call)}</span>
      {call.state !== 'done' && <span className={call.state === 'failed' ? styles.failed : 'quiet'}> {word}</span>}
      {call.state === 'done' && <span className="visually-hidden"> done</span>}
    </>
  );
  if (!call.output) return <li className={styles.tool}>{line}</li>;
  return (
    <li>
      <details>
        <summary className={styles.tool}>{line}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
        <pre className={styles.toolOutput} tabIndex={0}>
          {toDisplayText(call.output)}
        </pre>
      </details>
    </li>
  );
}
