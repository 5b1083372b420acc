import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { isEscape } from '../../lib/keys/is-escape.js';
import { isApple } from '../../lib/platform.js';
import { preferencesQuery } from '../system/system-queries.js';
import { sendsOn } from './composer/composer-keys.js';

/** The keys that always send. */
export const SEND_KEYS = isApple ? '⌘ Enter' : 'Ctrl+Enter';

const isTouch = () => window.matchMedia('(pointer: coarse)').matches;

interface MessageActs {
  text: string;
  getLastSent: () => string | undefined;
  onSend: () => void;
  /** Puts the last message into the empty field. */
  onRecall: (last: string) => void;
}

/**
 * The keys of a message field: one that sends, ↑ in an empty field, which recalls the last message, and Esc, which
 * leaves the field. `isKnown` is false until it is known whether Enter sends: a sent message cannot be taken back.
 */
export function useMessageKeys() {
  const [touches] = useState(isTouch);
  const preferences = useQuery(preferencesQuery());
  // On a touch keyboard Enter is the only way to a new line.
  const enterSends = (preferences.data?.enter_sends ?? true) && !touches;
  const handle = (
    event: KeyboardEvent<HTMLTextAreaElement>,
    { text, getLastSent, onSend, onRecall }: MessageActs,
  ): void => {
    if (sendsOn(event.nativeEvent, enterSends)) {
      event.preventDefault();
      onSend();
    } else if (event.key === 'ArrowUp' && text === '') {
      const last = getLastSent();
      if (last === undefined) return;
      event.preventDefault();
      onRecall(last);
    } else if (isEscape(event.nativeEvent)) event.currentTarget.blur();
  };
  return { touches, enterSends, isKnown: !preferences.isPending, handle };
}
