import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import type { ProjectFiles } from '../../../daemon/contract/system.js';
import { call, query } from '../../lib/api.js';
import { mentionAt, withMention } from './mention.js';

const SHOWN = 8;
const NONE: string[] = [];

export interface Mentions {
  id: string;
  paths: readonly string[];
  chosen: number;
  /** The option that is chosen; undefined while the list is closed. */
  optionId: string | undefined;
  take: (path: string) => void;
  point: (at: number) => void;
}

const filesQuery = (words: string) => ({
  queryKey: ['project-files', words],
  queryFn: ({ signal }: { signal: AbortSignal }) => call<ProjectFiles>(`/project/files${query({ q: words, limit: SHOWN })}`, { signal }),
  placeholderData: keepPreviousData,
  staleTime: 2_000,
});

/** Lets an `@` in a text name a file of the project. `keys` is to see each key first and says whether it was the list's. */
export function useMentions(area: RefObject<HTMLTextAreaElement | null>, text: string, set: (text: string) => void) {
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** Where the `@` stands whose list was closed. */
  const [closed, setClosed] = useState<number>();
  const [isIn, setIsIn] = useState(false);
  const moveTo = useRef<number>(undefined);
  const mention = isIn ? mentionAt(text, caret) : undefined;
  const isOpen = mention !== undefined && mention.words.length <= 200 && mention.from !== closed;
  const found = useQuery({ ...filesQuery(mention?.words ?? ''), enabled: isOpen }).data;
  const paths = isOpen ? (found?.paths ?? NONE) : NONE;
  const chosen = Math.min(at, paths.length - 1);

  useLayoutEffect(() => {
    if (moveTo.current === undefined) return;
    area.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  });

  const take = (path: string) => {
    if (!mention) return;
    const taken = withMention(text, mention, path);
    moveTo.current = taken.caret;
    setCaret(taken.caret);
    setClosed(undefined);
    set(taken.text);
  };
  const look = () => {
    setIsIn(document.activeElement === area.current);
    const place = area.current?.selectionEnd ?? 0;
    if (place === caret) return;
    setCaret(place);
    setAt(0);
    if (mentionAt(area.current?.value ?? '', place)?.from !== closed) setClosed(undefined);
  };
  const keys = (event: KeyboardEvent): boolean => {
    const path = paths[chosen];
    if (
      path === undefined ||
      !mention ||
      event.nativeEvent.isComposing ||
      event.shiftKey ||
      event.metaKey ||
      event.ctrlKey ||
      event.altKey
    ) {
      return false;
    }
    if (event.key === 'ArrowDown') setAt((chosen + 1) % paths.length);
    else if (event.key === 'ArrowUp') setAt((chosen - 1 + paths.length) % paths.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(path);
    else if (event.key === 'Escape') setClosed(mention.from);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const optionId = paths.length > 0 ? `${id}-${chosen}` : undefined;
  const mentions: Mentions = { id, paths, chosen, optionId, take, point: setAt };
  return { mentions, keys, look, leave: () => setIsIn(false) };
}
