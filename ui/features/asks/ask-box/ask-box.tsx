import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../../components/button.js';
import { TextArea } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { useDraft } from '../../../lib/drafts.js';
import { fetched } from '../../../lib/fetched.js';
import { SEND_KEYS, useMessageKeys } from '../../conversations/use-message-keys.js';
import styles from './ask-box.module.css';
import type { Asked } from './ask-member.js';

/** The answer needs more code than the question, so it is loaded with the first one. */
const LiveRequest = fetched(() => import('./live-request.js'));

interface AskBoxProps {
  /** Draft key of the question. */
  place: string;
  member: { id: string; name: string };
  send: (text: string) => Promise<Asked>;
  /** The question that the field begins with. */
  question?: string;
  askWords?: string;
  /** Empties the field when the question was sent, and shows the question with its answer. */
  clears?: boolean;
  /** Beside the button: the choice of the member. */
  children?: ReactNode;
}

/** Asks a member and shows the answer below, or opens the conversation in which it answers. */
export function AskBox({
  place,
  member,
  send,
  question = '',
  askWords = 'Ask',
  clears = false,
  children,
}: AskBoxProps) {
  const draft = useDraft(place, question);
  const keys = useMessageKeys();
  const { asked, error, isSending, run } = useAsking(send);
  const text = draft.value.trim();
  const submit = async () => {
    if (text === '' || isSending || !(await run(text)) || !clears) return;
    draft.set('');
  };
  return (
    <div className="stack">
      <form
        className={styles.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void submit();
        }}
      >
        <QuestionField name={member.name} draft={draft} keys={keys} onSend={() => void submit()} />
        <div className={`cluster ${styles.actions}`}>
          {children}
          {!keys.touches && (
            <span className="quiet small">
              {keys.enterSends ? 'Enter sends, Shift+Enter' : `${SEND_KEYS} sends, Enter`} breaks the line
            </span>
          )}
          <Button
            look="primary"
            type="submit"
            isBusy={isSending}
            reasonDisabled={text === '' ? 'Write a question first.' : undefined}
          >
            {askWords}
          </Button>
        </div>
      </form>
      {error !== undefined && <ErrorPanel what="The question was not sent." error={error} />}
      {asked && (
        <LiveRequest key={asked.rid} rid={asked.rid} token={asked.token} question={clears ? asked.text : undefined} />
      )}
    </div>
  );
}

interface QuestionFieldProps {
  name: string;
  draft: { value: string; set: (text: string) => void };
  keys: ReturnType<typeof useMessageKeys>;
  onSend: () => void;
}

function QuestionField({ name, draft, keys, onSend }: QuestionFieldProps) {
  return (
    <TextArea
      label={`Question for ${name}`}
      hidesLabel
      rows={2}
      maxLength={16_384}
      placeholder="Ask about this project"
      enterKeyHint={keys.enterSends ? 'send' : 'enter'}
      readOnly={!keys.isKnown}
      value={draft.value}
      onChange={(event) => draft.set(event.target.value)}
      onKeyDown={(event) =>
        keys.handle(event, { text: draft.value, getLastSent: () => undefined, onSend, onRecall: draft.set })
      }
    />
  );
}

/** Sends questions, one at a time. `run` resolves with whether the question was accepted. */
function useAsking(send: AskBoxProps['send']) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<{ rid: string; token: string; text: string }>();
  const [error, setError] = useState<unknown>();
  const [isSending, setIsSending] = useState(false);
  const run = async (text: string): Promise<boolean> => {
    setIsSending(true);
    setError(undefined);
    try {
      const sent = await send(text);
      if ('rid' in sent) setAsked({ ...sent, text });
      else void navigate({ to: '/talk/$conv', params: sent });
      return true;
    } catch (refusal) {
      setError(refusal);
      return false;
    } finally {
      setIsSending(false);
    }
  };
  return { asked, error, isSending, run };
}
