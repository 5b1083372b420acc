import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type Ref, useImperativeHandle, useRef, useState } from 'react';
import type { ContextDoc } from '../../../daemon/contract/asks.js';
import type { MESSAGE_DOCS_MAX, MESSAGE_TEXT_MAX_CHARS } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { ErrorPanel } from '../../components/states.js';
import { useDraft } from '../../lib/drafts.js';
import { isApple } from '../../lib/platform.js';
import { shownWords } from '../../lib/shown-words.js';
import { preferencesQuery } from '../system/system-queries.js';
import styles from './composer.module.css';
import { draftPlace } from './composer-draft.js';
import { sendsOn } from './composer-keys.js';
import { readDocs } from './context-docs.js';
import { MentionList } from './mention-list.js';
import { useMentions } from './use-mentions.js';

const TEXT_MAX = 131_072 satisfies typeof MESSAGE_TEXT_MAX_CHARS;
const DOCS_MAX = 16 satisfies typeof MESSAGE_DOCS_MAX;

export interface ComposerProps {
  conv: string;
  name: string;
  isWorking: boolean;
  /** A question waits for an answer: the focus is its. */
  isAsked: boolean;
  isOnline: boolean;
  lastSaid: () => string | undefined;
  onSay: (text: string, docs: ContextDoc[]) => Promise<unknown>;
  onStop: () => void;
  isStopping: boolean;
  error: unknown;
  ref?: Ref<{ focus: () => void }>;
}

const SEND_KEYS = isApple ? '⌘ Enter' : 'Ctrl+Enter';
const isTouch = () => window.matchMedia('(pointer: coarse)').matches;

/** Where one speaks. What is typed is kept per conversation until it was taken; Esc leaves it and never clears it. */
export function Composer({ conv, name, isWorking, isAsked, isOnline, lastSaid, onSay, onStop, isStopping, error, ref }: ComposerProps) {
  const draft = useDraft(draftPlace(conv), '');
  const [docs, setDocs] = useState<ContextDoc[]>([]);
  const [docProblem, setDocProblem] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const { mentions, keys, look, leave } = useMentions(area, draft.value, draft.set);
  const files = useRef<HTMLInputElement>(null);
  const [touches] = useState(isTouch);
  const preferences = useQuery(preferencesQuery());
  // On a touch keyboard Enter is the only way to a new line.
  const enterSends = (preferences.data?.enter_sends ?? true) && !touches;
  useImperativeHandle(ref, () => ({ focus: () => area.current?.focus() }));

  const text = draft.value.trim();
  const reason = isOnline ? (text === '' ? 'Write something first.' : undefined) : 'The daemon is away. What you type is kept.';
  const send = async () => {
    if (reason !== undefined || isSending) return;
    setIsSending(true);
    const said = draft.value;
    try {
      await onSay(said.trim(), docs);
      draft.clear();
      setDocs([]);
      setDocProblem(undefined);
    } catch {
      // The refusal stands beside the box, with the text still in it.
    } finally {
      setIsSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <form className={styles.composer} onSubmit={submit}>
      {error !== undefined && error !== null && <ErrorPanel what="It was not taken. Your words are still here." error={error} />}
      {docs.length > 0 && (
        <ul className="cluster" aria-label="Documents to send along">
          {docs.map((doc) => (
            <li key={doc.filename} className={styles.doc}>
              {doc.filename}
              <Button
                look="quiet"
                isSmall
                aria-label={`Leave ${shownWords(doc.filename)} out`}
                onClick={() => setDocs(docs.filter((one) => one !== doc))}
              >
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {docProblem && <p className={styles.problem}>{docProblem}</p>}
      <MentionList {...mentions} />
      <TextArea
        ref={area}
        label={`Message to ${name}`}
        hidesLabel
        placeholder={`Message to ${name}`}
        rows={1}
        className={styles.area ?? ''}
        aria-autocomplete="list"
        aria-controls={mentions.id}
        aria-activedescendant={mentions.optionId}
        maxLength={TEXT_MAX}
        enterKeyHint={enterSends ? 'send' : 'enter'}
        autoFocus={!touches && !isAsked}
        data-refocus={touches ? undefined : ''}
        // Nothing is typed before it is known what Enter does: a message that was sent cannot be taken back.
        readOnly={preferences.isPending}
        value={draft.value}
        onChange={(event) => {
          draft.set(event.target.value);
          look();
        }}
        onSelect={look}
        onBlur={leave}
        onKeyDown={(event) => {
          if (keys(event)) return;
          if (sendsOn({ ...keyOf(event), enterSends })) {
            event.preventDefault();
            void send();
          } else if (event.key === 'ArrowUp' && draft.value === '') {
            const last = lastSaid();
            if (last === undefined) return;
            event.preventDefault();
            draft.set(last);
          } else if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <div className={styles.actions}>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            const chosen = [...(event.target.files ?? [])];
            event.target.value = '';
            void readDocs(chosen, docs, DOCS_MAX).then((read) => {
              setDocs(read.docs);
              setDocProblem(read.problem);
            });
          }}
        />
        <Button look="quiet" onClick={() => files.current?.click()}>
          <Icon name="plus" />
          Attach
        </Button>
        <span className={styles.hint}>
          {!touches &&
            `${enterSends ? 'Enter sends, Shift+Enter' : `${SEND_KEYS} sends, Enter`} breaks the line, ↑ brings back your last words, @ names a file`}
        </span>
        {isWorking && (
          <Button look="danger" isBusy={isStopping} onClick={onStop}>
            Stop
          </Button>
        )}
        <Button look="primary" type="submit" isBusy={isSending} reasonDisabled={reason}>
          {isWorking ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}

const keyOf = ({ key, shiftKey, metaKey, ctrlKey, altKey, nativeEvent }: React.KeyboardEvent) => ({
  key,
  shiftKey,
  metaKey,
  ctrlKey,
  altKey,
  isComposing: nativeEvent.isComposing,
});
