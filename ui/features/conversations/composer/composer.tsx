import { type FormEvent, type Ref, type RefObject, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import type { ContextDoc } from '../../../../daemon/contract/asks.js';
import type { MESSAGE_TEXT_MAX_CHARS } from '../../../../daemon/contract/conversations.js';
import { Button } from '../../../components/button.js';
import { TextArea } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { Icon } from '../../../components/text/icon.js';
import { useDraft } from '../../../lib/drafts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { SEND_KEYS, useMessageKeys } from '../use-message-keys.js';
import { useSending } from '../use-sending.js';
import styles from './composer.module.css';
import { draftPlace } from './composer-draft.js';
import { type AttachedDocs, useAttachedDocs } from './context-docs.js';
import { OptionList, optionId } from './option-list.js';
import { escapeSlash, readTyped } from './slash.js';
import { useMentions } from './use-mentions.js';
import type { SlashAction } from './use-slash-actions.js';
import { useSlashList } from './use-slash-list.js';

const TEXT_MAX = 131_072 satisfies typeof MESSAGE_TEXT_MAX_CHARS;

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
  onAct: (name: SlashAction, words: string) => Promise<unknown>;
  onStop: () => void;
  isStopping: boolean;
  error: unknown;
  ref?: Ref<{ focus: () => void }>;
}

/**
 * The message input. The draft is kept per conversation until the message was accepted. Esc leaves the field and never
 * clears it.
 */
export function Composer(props: ComposerProps) {
  const { conv, name, isWorking, isAsked, isOnline, getLastSent, onSay, onAct, onStop, isStopping, error, ref } = props;
  const draft = useDraft(draftPlace(conv), '');
  const attached = useAttachedDocs(conv);
  const area = useRef<HTMLTextAreaElement>(null);
  const mentions = useMentions(area, draft.value, draft.set);
  const keys = useMessageKeys();
  useImperativeHandle(ref, () => ({ focus: () => area.current?.focus() }));

  const text = draft.value.trim();
  const reason = isOnline
    ? text === ''
      ? 'Write something first.'
      : undefined
    : 'The daemon is offline. Your text is kept.';
  const canSend = reason === undefined;
  const slash = useSlashList(draft.value, mentions.isIn, draft.set, (command): void => void sending.send(command));
  const sending = useSending({ conv, draft, canSend, attached, onSay, onAct, onHelp: slash.open });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.send(draft.value);
  };
  return (
    <form className={styles.composer} onSubmit={submit}>
      <Problems error={sending.refusal ?? error} attached={attached} problem={sending.problem} />
      <MessageField
        area={area}
        name={name}
        isAsked={isAsked}
        getLastSent={getLastSent}
        draft={draft}
        mentions={mentions}
        slash={slash}
        keys={keys}
        sending={sending}
      />
      <div className={styles.actions}>
        <AttachButton onFiles={attached.attach} />
        <span className={styles.hint}>
          {!keys.touches &&
            `${keys.enterSends ? 'Enter sends, Shift+Enter' : `${SEND_KEYS} sends, Enter`} breaks the line, ↑ ` +
              'recalls your last message, @ names a file, / a command'}
        </span>
        {isWorking && (
          <Button look="danger" isBusy={isStopping} onClick={onStop}>
            Stop
          </Button>
        )}
        <Button look="primary" type="submit" isBusy={sending.isSending} reasonDisabled={reason}>
          {readTyped(text).is !== 'said' ? 'Run' : isWorking ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}

/** What was not sent or not attached and why, around the documents that are attached. */
function Problems({
  error,
  attached: { docs, problem: docProblem, remove },
  problem,
}: {
  error: unknown;
  attached: AttachedDocs;
  problem: string | undefined;
}) {
  return (
    <>
      {error !== undefined && error !== null && <ErrorPanel what="Not sent. Your text is still here." error={error} />}
      {docs.length > 0 && (
        <ul className="cluster" aria-label="Attached documents">
          {docs.map((doc) => (
            <li key={doc.filename} className={styles.doc}>
              {doc.filename}
              <Button
                look="quiet"
                isSmall
                aria-label={`Leave ${toDisplayText(doc.filename)} out`}
                onClick={() => remove(doc)}
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
    </>
  );
}

interface MessageFieldProps extends Pick<ComposerProps, 'name' | 'isAsked' | 'getLastSent'> {
  area: RefObject<HTMLTextAreaElement | null>;
  draft: { value: string; set: (text: string) => void };
  mentions: ReturnType<typeof useMentions>;
  slash: ReturnType<typeof useSlashList>;
  keys: ReturnType<typeof useMessageKeys>;
  sending: ReturnType<typeof useSending>;
}

/** Focuses the field when it is first drawn, unless the user is already in a dialog or a panel beside the page. */
function useFirstFocus(area: RefObject<HTMLTextAreaElement | null>, isWanted: boolean): void {
  const isFirst = useRef(isWanted);
  useLayoutEffect(() => {
    if (isFirst.current && !document.activeElement?.closest('dialog')) area.current?.focus();
    isFirst.current = false;
  }, [area]);
}

/** The text field with the list of commands or files that complete its text. */
function MessageField(props: MessageFieldProps) {
  const { area, name, isAsked, getLastSent, draft, mentions, slash, keys, sending } = props;
  const list = slash.list.options.length > 0 ? slash.list : mentions.list;
  useFirstFocus(area, !keys.touches && !isAsked);
  return (
    <>
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
        enterKeyHint={keys.enterSends ? 'send' : 'enter'}
        data-refocus={keys.touches ? undefined : ''}
        readOnly={!keys.isKnown}
        value={draft.value}
        onChange={(event) => {
          draft.set(event.target.value);
          sending.clearProblem();
          mentions.look();
        }}
        onSelect={mentions.look}
        onBlur={mentions.leave}
        onKeyDown={(event) => {
          if (slash.keys(event) || mentions.keys(event)) return;
          keys.handle(event, {
            text: draft.value,
            getLastSent,
            onSend: () => void sending.send(draft.value),
            onRecall: (last) => draft.set(escapeSlash(last)),
          });
        }}
      />
    </>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          onFiles(chosen);
        }}
      />
      <Button look="quiet" onClick={() => input.current?.click()}>
        <Icon name="plus" />
        Attach
      </Button>
    </>
  );
}
