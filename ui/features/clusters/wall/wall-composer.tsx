import {
  type FormEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react';
import { Button } from '../../../components/button.js';
import { TextArea } from '../../../components/field.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import composer from '../../conversations/composer/composer.module.css';
import { SEND_KEYS, useMessageKeys } from '../../conversations/use-message-keys.js';
import { formatNames } from '../cluster-format.js';
import styles from '../wall.module.css';
import { FRAME_MAX, formatSize, frameBytes, hasSecret, isLong } from './wall-bytes.js';

interface WallComposerProps {
  text: string;
  onText: (text: string) => void;
  /** Recipients; empty means everyone. */
  to: readonly string[];
  onTo: (to: readonly string[]) => void;
  people: readonly string[];
  isIn: boolean;
  getLastSent: () => string | undefined;
  /** Returns whether the message was sent. */
  onSay: (text: string) => boolean;
  /** Shown when the text is long. */
  postFromMessage: ReactNode;
  ref?: Ref<{ focus: () => void }>;
}

/**
 * The message input of a live cluster. The draft is kept per cluster until it was sent. Nothing is queued while
 * disconnected.
 */
export function WallComposer(props: WallComposerProps) {
  const { text, onText, to, onTo, people, isIn, getLastSent, onSay, postFromMessage, ref } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const keys = useMessageKeys();
  useImperativeHandle(ref, () => ({ focus: () => area.current?.focus() }));
  useFocusWhenReady(area, isIn && !keys.touches);

  const sent = text.trim();
  const bytes = frameBytes(sent, to);
  const size = formatSize(bytes);
  const isTooLarge = bytes > FRAME_MAX;
  const reason = getSendProblem(sent, isIn, isTooLarge);
  const send = () => {
    if (reason === undefined && onSay(sent)) onText('');
    area.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const whom = to.length === 0 ? 'everybody here' : `${formatNames(to)} only`;
  return (
    <form className={`${composer.composer} ${to.length > 0 ? styles.composesDirect : ''}`} onSubmit={submit}>
      {to.length > 0 && <Recipients to={to} onTo={onTo} people={people} isIn={isIn} />}
      <TextArea
        ref={area}
        label={`Message to ${whom}`}
        hidesLabel
        placeholder={`Message to ${toDisplayText(whom)}`}
        rows={1}
        className={composer.area ?? ''}
        enterKeyHint={keys.enterSends ? 'send' : 'enter'}
        data-refocus={keys.touches ? undefined : ''}
        readOnly={!keys.isKnown}
        value={text}
        error={isTooLarge ? `${size}.` : undefined}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => keys.handle(event, { text, getLastSent, onSend: send, onRecall: onText })}
      />
      {hasSecret(text) && (
        <p className={styles.bad} role="alert">
          This text contains a token. Everyone who gets the message can use it.
        </p>
      )}
      <div className={composer.actions}>
        <span className={composer.hint}>
          {keys.touches
            ? ''
            : `${keys.enterSends ? 'Enter sends, Shift+Enter' : `${SEND_KEYS} sends, Enter`} breaks the line, ↑ ` +
              'recalls your last message'}
        </span>
        {!isTooLarge && size !== '' && <span className="small mono">{size}</span>}
        {isLong(bytes) && postFromMessage}
        <Button look="primary" type="submit" reasonDisabled={reason}>
          {to.length === 0 ? 'Send' : `Send to ${to.length === 1 ? toDisplayText(to[0] ?? '') : to.length} only`}
        </Button>
      </div>
    </form>
  );
}

/** Why a text cannot be sent; undefined when it can. */
function getSendProblem(text: string, isIn: boolean, isTooLarge: boolean): string | undefined {
  if (!isIn) return 'Disconnected. Your text is kept and is not sent automatically.';
  if (text === '') return 'Write something first.';
  return isTooLarge ? 'It is larger than one message can be.' : undefined;
}

/** Focuses the field once it can be used, unless the user has moved the focus meanwhile. */
function useFocusWhenReady(area: RefObject<HTMLTextAreaElement | null>, isReady: boolean): void {
  useEffect(() => {
    if (isReady && document.activeElement?.matches('body, main, h1')) area.current?.focus();
  }, [area, isReady]);
}

function Recipients({ to, onTo, people, isIn }: Pick<WallComposerProps, 'to' | 'onTo' | 'people' | 'isIn'>) {
  const away = to.filter((handle) => !people.includes(handle));
  return (
    <p className={styles.recipients}>
      <span className={styles.to}>to {toDisplayText(formatNames(to))} only</span>
      {isIn && away.length > 0 && (
        <span className="small">
          {toDisplayText(formatNames(away))} {away.length === 1 ? 'is' : 'are'} not here now.
        </span>
      )}
      <Button isSmall look="quiet" onClick={() => onTo([])}>
        Message everybody
      </Button>
    </p>
  );
}
