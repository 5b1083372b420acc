import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { toDisplayText } from '../../lib/display-text.js';
import { isApple } from '../../lib/platform.js';
import composer from '../conversations/composer.module.css';
import { sendsOn } from '../conversations/composer-keys.js';
import { preferencesQuery } from '../system/system-queries.js';
import { formatNames } from './cluster-format.js';
import styles from './wall.module.css';
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

const SEND_KEYS = isApple ? '⌘ Enter' : 'Ctrl+Enter';

/**
 * The message input of a live cluster. The draft is kept per cluster until it was sent. Nothing is queued while
 * disconnected.
 */
export function WallComposer({
  text,
  onText,
  to,
  onTo,
  people,
  isIn,
  getLastSent: lastSaid,
  onSay,
  postFromMessage: asPost,
  ref,
}: WallComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [touches] = useState(() => window.matchMedia('(pointer: coarse)').matches);
  const preferences = useQuery(preferencesQuery());
  const enterSends = (preferences.data?.enter_sends ?? true) && !touches;
  useImperativeHandle(ref, () => ({ focus: () => area.current?.focus() }));
  const focuses = isIn && !touches;
  useEffect(() => {
    // Takes the focus only if the user has not moved it meanwhile.
    if (focuses && document.activeElement?.matches('body, main, h1')) area.current?.focus();
  }, [focuses]);

  const sent = text.trim();
  const bytes = frameBytes(sent, to);
  const size = formatSize(bytes);
  const isTooLarge = bytes > FRAME_MAX;
  const reason = !isIn
    ? 'Disconnected. Your text is kept and is not sent automatically.'
    : sent === ''
      ? 'Write something first.'
      : isTooLarge
        ? 'It is larger than one message can be.'
        : undefined;
  const send = () => {
    if (reason === undefined && onSay(sent)) onText('');
    area.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const whom = to.length === 0 ? 'everybody here' : `${formatNames(to)} only`;
  const away = to.filter((handle) => !people.includes(handle));
  return (
    <form className={`${composer.composer} ${to.length > 0 ? styles.composesDirect : ''}`} onSubmit={submit}>
      {to.length > 0 && (
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
      )}
      <TextArea
        ref={area}
        label={`Message to ${whom}`}
        hidesLabel
        placeholder={`Message to ${toDisplayText(whom)}`}
        rows={1}
        className={composer.area ?? ''}
        enterKeyHint={enterSends ? 'send' : 'enter'}
        data-refocus={touches ? undefined : ''}
        // Read-only until it is known whether Enter sends: a sent message cannot be taken back.
        readOnly={preferences.isPending}
        value={text}
        error={isTooLarge ? `${size}.` : undefined}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          const { key, shiftKey, metaKey, ctrlKey, altKey } = event;
          if (
            sendsOn({ key, shiftKey, metaKey, ctrlKey, altKey, isComposing: event.nativeEvent.isComposing, enterSends })
          ) {
            event.preventDefault();
            send();
          } else if (key === 'ArrowUp' && text === '') {
            const last = lastSaid();
            if (last === undefined) return;
            event.preventDefault();
            onText(last);
          } else if (key === 'Escape') event.currentTarget.blur();
        }}
      />
      {hasSecret(text) && (
        <p className={styles.bad} role="alert">
          This text contains a token. Everyone who gets the message can use it.
        </p>
      )}
      <div className={composer.actions}>
        <span className={composer.hint}>
          {touches
            ? ''
            : enterSends
              ? 'Enter sends, Shift+Enter breaks the line, ↑ recalls your last message'
              : `${SEND_KEYS} sends, Enter breaks the line, ↑ recalls your last message`}
        </span>
        {!isTooLarge && size !== '' && <span className="small mono">{size}</span>}
        {isLong(bytes) && asPost}
        <Button look="primary" type="submit" reasonDisabled={reason}>
          {to.length === 0 ? 'Send' : `Send to ${to.length === 1 ? toDisplayText(to[0] ?? '') : to.length} only`}
        </Button>
      </div>
    </form>
  );
}
