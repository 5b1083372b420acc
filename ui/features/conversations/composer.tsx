import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type Ref, useImperativeHandle, useRef, useState } from 'react';
import type { ContextDoc } from '../../../daemon/contract/asks.js';
import type { MESSAGE_DOCS_MAX, MESSAGE_TEXT_MAX_CHARS } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { ErrorPanel } from '../../components/states.js';
import { toDisplayText } from '../../lib/display-text.js';
import { useDraft } from '../../lib/drafts.js';
import { isApple } from '../../lib/platform.js';
import { preferencesQuery } from '../system/system-queries.js';
import styles from './composer.module.css';
import { draftPlace } from './composer-draft.js';
import { sendsOn } from './composer-keys.js';
import { readDocs } from './context-docs.js';
import { OptionList, optionId } from './option-list.js';
import { useClearSentDraft, useGiveBack } from './put-back.js';
import { escapeSlash, readTyped, type SlashName } from './slash.js';
import { SlashCommandError } from './slash-problem.js';
import { useMentions } from './use-mentions.js';
import type { SlashAct } from './use-slash-acts.js';
import { useSlashList } from './use-slash-list.js';

const TEXT_MAX = 131_072 satisfies typeof MESSAGE_TEXT_MAX_CHARS;
const DOCS_MAX = 16 satisfies typeof MESSAGE_DOCS_MAX;

export interface ComposerProps {
  conv: string;
  name: string;
  isWorking: boolean;
  /** A permission waits for an answer, so the composer does not take the focus. */
  isAsked: boolean;
  isOnline: boolean;
  getLastSent: () => string | undefined;
  onSay: (text: string, docs: ContextDoc[]) => Promise<unknown>;
  /** Runs a command. An error is shown, and the command stays in the composer. */
  onAct: (name: SlashAct, words: string) => Promise<unknown>;
  onStop: () => void;
  isStopping: boolean;
  error: unknown;
  ref?: Ref<{ focus: () => void }>;
}

const SEND_KEYS = isApple ? '⌘ Enter' : 'Ctrl+Enter';
const isTouch = () => window.matchMedia('(pointer: coarse)').matches;

/**
 * The message input. The draft is kept per conversation until the message was accepted. Esc leaves the field and never
 * clears it.
 */
export function Composer({
  conv,
  name,
  isWorking,
  isAsked,
  isOnline,
  getLastSent: lastSaid,
  onSay,
  onAct,
  onStop,
  isStopping,
  error,
  ref,
}: ComposerProps) {
  const draft = useDraft(draftPlace(conv), '');
  const giveBack = useGiveBack(conv);
  const takeSaid = useClearSentDraft(conv);
  const [docs, setDocs] = useState<ContextDoc[]>([]);
  const [docProblem, setDocProblem] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string>();
  const [refusal, setRefusal] = useState<unknown>();
  const mentions = useMentions(area, draft.value, draft.set);
  const slash = useSlashList(draft.value, mentions.isIn, draft.set, (text) => void send(text));
  const list = slash.list.options.length > 0 ? slash.list : mentions.list;
  const files = useRef<HTMLInputElement>(null);
  const [touches] = useState(isTouch);
  const preferences = useQuery(preferencesQuery());
  // On a touch keyboard Enter is the only way to a new line.
  const enterSends = (preferences.data?.enter_sends ?? true) && !touches;
  useImperativeHandle(ref, () => ({ focus: () => area.current?.focus() }));

  const text = draft.value.trim();
  const isCommand = readTyped(text).is !== 'said';
  const reason = isOnline
    ? text === ''
      ? 'Write something first.'
      : undefined
    : 'The daemon is offline. Your text is kept.';
  const act = async (name: SlashName, words: string, text: string) => {
    if (name === '/help') {
      draft.set('/');
      slash.open();
      return;
    }
    setIsSending(true);
    // Cleared first, because a command may put text into the composer.
    draft.clear();
    try {
      await onAct(name, words);
    } catch (error) {
      if (error instanceof SlashCommandError) setProblem(error.message);
      else setRefusal(error);
      giveBack(text);
    } finally {
      setIsSending(false);
    }
  };
  const send = async (sent: string) => {
    if (reason !== undefined || isSending) return;
    setProblem(undefined);
    setRefusal(undefined);
    const typed = readTyped(sent);
    if (typed.is === 'unknown') return setProblem(typed.why);
    if (typed.is === 'command') return act(typed.name, typed.words, sent);
    setIsSending(true);
    try {
      await onSay(typed.text, docs);
      takeSaid(sent);
      setDocs((attached) => attached.filter((doc) => !docs.includes(doc)));
      setDocProblem(undefined);
    } catch {
      // The error is shown beside the composer, which still has the text.
    } finally {
      setIsSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(draft.value);
  };
  const shownError = refusal ?? error;
  return (
    <form className={styles.composer} onSubmit={submit}>
      {shownError !== undefined && shownError !== null && (
        <ErrorPanel what="Not sent. Your text is still here." error={shownError} />
      )}
      {docs.length > 0 && (
        <ul className="cluster" aria-label="Attached documents">
          {docs.map((doc) => (
            <li key={doc.filename} className={styles.doc}>
              {doc.filename}
              <Button
                look="quiet"
                isSmall
                aria-label={`Leave ${toDisplayText(doc.filename)} out`}
                onClick={() => setDocs(docs.filter((one) => one !== doc))}
              >
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {docProblem && <p className={styles.problem}>{docProblem}</p>}
      {problem && (
        <p role="alert" className={styles.problem}>
          {toDisplayText(problem)}
        </p>
      )}
      <OptionList {...list} />
      <TextArea
        ref={area}
        label={`Message to ${name}`}
        hidesLabel
        placeholder={`Message to ${name}`}
        rows={1}
        className={styles.area ?? ''}
        aria-autocomplete="list"
        aria-controls={list.id}
        aria-activedescendant={optionId(list)}
        maxLength={TEXT_MAX}
        enterKeyHint={enterSends ? 'send' : 'enter'}
        autoFocus={!touches && !isAsked}
        data-refocus={touches ? undefined : ''}
        // Read-only until it is known whether Enter sends: a sent message cannot be taken back.
        readOnly={preferences.isPending}
        value={draft.value}
        onChange={(event) => {
          draft.set(event.target.value);
          setProblem(undefined);
          mentions.look();
        }}
        onSelect={mentions.look}
        onBlur={mentions.leave}
        onKeyDown={(event) => {
          if (slash.keys(event) || mentions.keys(event)) return;
          if (sendsOn({ ...createKey(event), enterSends })) {
            event.preventDefault();
            void send(draft.value);
          } else if (event.key === 'ArrowUp' && draft.value === '') {
            const last = lastSaid();
            if (last === undefined) return;
            event.preventDefault();
            draft.set(escapeSlash(last));
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
            `${enterSends ? 'Enter sends, Shift+Enter' : `${SEND_KEYS} sends, Enter`} breaks the line, ↑ recalls your last message, @ names a file, / a command`}
        </span>
        {isWorking && (
          <Button look="danger" isBusy={isStopping} onClick={onStop}>
            Stop
          </Button>
        )}
        <Button look="primary" type="submit" isBusy={isSending} reasonDisabled={reason}>
          {isCommand ? 'Run' : isWorking ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}

const createKey = ({ key, shiftKey, metaKey, ctrlKey, altKey, nativeEvent }: React.KeyboardEvent) => ({
  key,
  shiftKey,
  metaKey,
  ctrlKey,
  altKey,
  isComposing: nativeEvent.isComposing,
});
