import { Button } from '../../../components/button.js';
import { ErrorPanel } from '../../../components/states.js';
import { CopyButton } from '../../../components/text/copy-button.js';
import { OutsideLink } from '../../../components/text/outside-link.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { usePullRequest } from '../changes-mutations.js';

interface PullRequestPanelProps {
  conv: string;
  into: string;
  /** Exactly what runs, in this order. */
  commands: readonly string[];
}

/** Pushes the branch and opens a pull request. Shows the exact commands, which run only when the button is pressed. */
export function PullRequestPanel({ conv, into, commands }: PullRequestPanelProps) {
  const request = usePullRequest(conv);
  return (
    <section className="stack" aria-label="Pull request">
      <h3>Pull request</h3>
      <p>These commands run when you press the button, and not before.</p>
      <div className="command">
        <code>{toDisplayText(commands.join('\n'))}</code>
        <CopyButton text={commands.join('\n')} label="Copy commands" />
      </div>
      {request.error && <ErrorPanel what="No pull request was opened." error={request.error} />}
      {request.data ? (
        <p role="status">
          Opened: <OutsideLink address={request.data.url} />
        </p>
      ) : (
        <div className="cluster">
          <Button isBusy={request.isPending} onClick={() => request.mutate({ into, commands: [...commands] })}>
            Push and open a pull request
          </Button>
        </div>
      )}
    </section>
  );
}
