import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import type { ProjectFiles } from '../../../../daemon/contract/system.js';
import { call, query } from '../../../lib/api.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { worksList } from '../list/list-key.js';
import { mentionAt, withMention } from './mention.js';
import type { OptionListProps } from './option-list.js';

const SHOWN = 8;
const NONE: string[] = [];

const filesQuery = (words: string) => ({
  queryKey: ['project-files', words],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    call<ProjectFiles>(`/project/files${query({ q: words, limit: SHOWN })}`, { signal }),
  placeholderData: keepPreviousData,
  staleTime: 2_000,
});

/**
 * Completes file paths after an `@` in a text. Each key must be passed to `keys` first, which reports whether the list
 * handled it.
 */
export function useMentions(area: RefObject<HTMLTextAreaElement | null>, text: string, set: (text: string) => void) {
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** Index of the `@` whose list was closed. */
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
  const list: OptionListProps = {
    id,
    label: 'Files of the project',
    options: paths.map((path) => ({ key: path, shown: toDisplayText(path) })),
    chosen,
    status: `${paths.length} ${paths.length === 1 ? 'file' : 'files'}, Enter takes, Escape closes`,
    take: (at) => {
      const path = paths[at];
      if (path !== undefined) take(path);
    },
    point: setAt,
  };
  const keys = (event: KeyboardEvent) => worksList(event, list, { close: () => setClosed(mention?.from) });
  return { list, keys, look, leave: () => setIsIn(false), isIn };
}
