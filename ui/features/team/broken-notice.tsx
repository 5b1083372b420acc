import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MemberDetail, Problem } from '../../../daemon/contract/team.js';
import { Button, buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './member-overview.module.css';
import { useRestoreMember } from './team-mutations.js';
import { memberFileQuery } from './team-queries.js';

const AROUND = 2;

/** A file that cannot be read: position, reason, the surrounding lines, what still serves, and the possible actions. */
export function BrokenNotice({ member, isRestorable }: { member: MemberDetail; isRestorable: boolean }) {
  const file = useQuery(memberFileQuery(member.id));
  const restore = useRestoreMember();
  const say = useToast();
  if (!member.problem) return null;
  const { line, column, reason } = member.problem;
  return (
    <Notice tone="failed" isAlert>
      <p>
        <strong className="mono">
          {file.data?.path ?? `${member.id}.md`}:{line}:{column}
        </strong>{' '}
        {toDisplayText(reason)}
      </p>
      {file.data && <Excerpt text={file.data.text} problem={member.problem} />}
      <p>
        {member.serving
          ? 'The last valid version is still used. The broken file is not.'
          : 'There is no earlier valid version, so this member does not answer.'}
      </p>
      {restore.error && <ErrorPanel what="The default was not restored." error={restore.error} />}
      <div className="cluster">
        <Link to="/team/$id" params={{ id: member.id }} search={{ tab: 'file', as: 'raw' }} className={buttonClass()}>
          Fix the file
        </Link>
        {isRestorable && (
          <Button
            isBusy={restore.isPending}
            onClick={() =>
              void restore.mutateAsync(member.id).then(
                () => say({ text: `${member.id}.md is the shipped default again.` }),
                () => undefined,
              )
            }
          >
            Restore the shipped default
          </Button>
        )}
      </div>
    </Notice>
  );
}

function Excerpt({ text, problem }: { text: string; problem: Problem }) {
  const first = Math.max(1, problem.line - AROUND);
  const lines = text.split('\n').slice(first - 1, problem.line + AROUND);
  return (
    <ol className={styles.excerpt} aria-label={`Lines around ${problem.line}`}>
      {lines.map((content, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position.
        <li key={first + at} className={first + at === problem.line ? styles.marked : undefined}>
          <span className={styles.number}>{first + at}</span>
          <span>{toDisplayText(content) || ' '}</span>
        </li>
      ))}
    </ol>
  );
}
