import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { NetworkAgent, NetworkAsk, NetworkCitation } from '../../../daemon/contract/shared/network-asks.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { TextArea } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { BreakableText } from '../../components/text/breakable-text.js';
import { PlainProse, Prose } from '../../components/text/prose.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { AnswerKind } from '../asks/answer-kind.js';
import { formatCitationPlace } from '../asks/citation-format.js';
import { isOver, networkAgentsQuery, useAskColleague, useCancelAsk, useNetworkAskQuery } from './colleague-queries.js';

const QUESTION_MAX = 16_384;

/** Asks the member of another daemon that is called so. */
export function AskNamed({ name, onClose }: { name: string; onClose: () => void }) {
  const { data, error } = useQuery(networkAgentsQuery());
  // Kept: its daemon may leave while the answer is shown.
  const [kept, setKept] = useState<NetworkAgent>();
  const agent = kept ?? data?.find(({ ref, self }) => ref === name && !self);
  if (agent && !kept) setKept(agent);
  if (agent) return <AskColleague agent={agent} onClose={onClose} />;
  if (data === undefined && !error) return null;
  return (
    <Dialog title={`Ask ${name}`} onClose={onClose}>
      {data ? (
        <p>No daemon of the network shares this member now.</p>
      ) : (
        <ErrorPanel what="The members of the network could not be read." error={error} />
      )}
    </Dialog>
  );
}

/** Asks a member of another daemon and shows its answer. Closing it cancels an ask that has not ended. */
function AskColleague({ agent, onClose }: { agent: NetworkAgent; onClose: () => void }) {
  const [text, setText] = useState('');
  const [isTried, setIsTried] = useState(false);
  const send = useAskColleague();
  const cancel = useCancelAsk();
  const id = send.data?.id;
  const { data: read } = useQuery(useNetworkAskQuery(id));
  const ask = read ?? send.data;
  const isRunning = ask !== undefined && !isOver(ask);
  const close = () => {
    if (isRunning) cancel.mutate(ask.id);
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending || isRunning) return;
    setIsTried(true);
    if (text.trim() !== '') send.mutate({ to: agent.ref, text: text.trim() });
  };
  return (
    <Dialog title={`Ask ${agent.ref}`} onClose={close} isWide>
      <form className="stack" onSubmit={submit} noValidate>
        <p className="quiet">
          Your question goes through the servers of the network to the daemon <BreakableText text={agent.daemon_name} />
          , with the name of this daemon, and is kept there. No file is sent.
        </p>
        <TextArea
          label="Question"
          rows={3}
          maxLength={QUESTION_MAX}
          value={text}
          error={isTried && text.trim() === '' ? 'Write a question.' : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        {send.error && <ErrorPanel what="The question was not sent." error={send.error} />}
        <DialogActions>
          {isRunning ? (
            <Button isBusy={cancel.isPending} onClick={() => cancel.mutate(ask.id)}>
              Stop
            </Button>
          ) : (
            <Button onClick={close}>Close</Button>
          )}
          <Button look="primary" type="submit" isBusy={send.isPending || isRunning}>
            Ask
          </Button>
        </DialogActions>
      </form>
      {ask && <ColleagueAnswer ask={ask} />}
    </Dialog>
  );
}

const PROGRESS = {
  sent: 'Sent. The other daemon has not answered yet.',
  queued: 'Other asks of this member come first.',
  running: 'The member is working.',
  needs_input: 'The member needs a permission of its operator.',
} as const;

/** The answer of another daemon's member so far. All of it is that daemon's word. */
export function ColleagueAnswer({ ask }: { ask: NetworkAsk }) {
  const { status, text_so_far, result_text = '', citations = [], confidence, daemon_name, error } = ask;
  return (
    <section className="stack" aria-label={`Answer of ${toDisplayText(daemon_name)}`} aria-busy={!isOver(ask)}>
      <p role="status" className={status === 'done' || status === 'error' ? 'visually-hidden' : 'quiet'}>
        {status === 'done' ? 'Answered.' : status === 'error' ? 'No answer.' : PROGRESS[status]}
      </p>
      {text_so_far !== undefined && text_so_far !== '' && <PlainProse text={text_so_far} />}
      {status === 'error' && (
        <Notice tone={error?.code === 'cancelled' ? 'info' : 'failed'}>
          <p>
            <BreakableText text={error?.message ?? 'It ended without an answer.'} />
          </p>
        </Notice>
      )}
      {status === 'done' && (
        <>
          <AnswerKind {...(confidence && { confidence })} />
          <Prose text={result_text} />
          {citations.length > 0 && <Quotes citations={citations} daemon={daemon_name} />}
        </>
      )}
    </section>
  );
}

/** The quotes of an answer. They are of files of another machine, so that none is a link. */
function Quotes({ citations, daemon }: { citations: readonly NetworkCitation[]; daemon: string }) {
  return (
    <>
      <p className="small quiet">
        Quotes of files of <BreakableText text={daemon} />, which its daemon checked. They cannot be checked here.
      </p>
      <ol className="quotes" aria-label="Citations">
        {citations.map((citation) => (
          <li key={`${formatCitationPlace(citation)} ${citation.sha256}`}>
            <p className="mono">
              <BreakableText text={formatCitationPlace(citation)} />
            </p>
            <p className="small quiet mono truncate">{toDisplayText(citation.quote.trim().split('\n')[0] ?? '')}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
