import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { isApple } from '../../lib/platform.js';
import { shownWords } from '../../lib/shown-words.js';
import composer from '../conversations/composer.module.css';
import { sendsOn } from '../conversations/composer-keys.js';
import { preferencesQuery } from '../system/system-queries.js';
import { namesWords } from './room-words.js';
import styles from './wall.module.css';
import { FRAME_MAX, frameBytes, holdsSecret, isLong, sizeWords } from './wall-bytes.js';

interface WallComposerProps {
  text: string;
  onText: (text: string) => void;
  /** Recipients; empty means everyone. */
  to: readonly string[];
  onTo: (to: readonly string[]) => void;
  people: readonly string[];
  isIn: boolean;
  lastSaid: () => string | undefined;
  /** Returns whether the message was sent. */
  onSay: (text: string) => boolean;
  /** Shown when the text is long. */
  asPost: ReactNode;
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
  lastSaid,
  onSay,
  asPost,
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

  const said = text.trim();
  const bytes = frameBytes(said, to);
  const size = sizeWords(bytes);
  const isTooLarge = bytes > FRAME_MAX;
  const reason = !isIn
    ? 'Disconnected. Your text is kept and is not sent automatically.'
    : said === ''
      ? 'Write something first.'
      : isTooLarge
        ? 'It is larger than one message can be.'
        : undefined;
  const send = () => {
    if (reason === undefined && onSay(said)) onText('');
    area.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const whom = to.length === 0 ? 'everybody here' : `${namesWords(to)} only`;
  const away = to.filter((handle) => !people.includes(handle));
  return (
    <form className={`${composer.composer} ${to.length > 0 ? styles.composesDirect : ''}`} onSubmit={submit}>
      {to.length > 0 && (
        <p className={styles.recipients}>
          <span className={styles.to}>to {shownWords(namesWords(to))} only</span>
          {isIn && away.length > 0 && (
            <span className="small">
              {shownWords(namesWords(away))} {away.length === 1 ? 'is' : 'are'} not here now.
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
        placeholder={`Message to ${shownWords(whom)}`}
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
      {holdsSecret(text) && (
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
          {to.length === 0 ? 'Send' : `Send to ${to.length === 1 ? shownWords(to[0] ?? '') : to.length} only`}
        </Button>
      </div>
    </form>
  );
}
