import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { findMatches, groupByLine, type Match } from './find-in-lines.js';
import { readPage } from './use-file-pages.js';

interface Found {
  path: string;
  isOpen: boolean;
  words: string;
  /** Where the search goes on: the chosen occurrence is the first one from here. */
  anchor: Pick<Match, 'line' | 'start'>;
  /** The place in the address when the user last searched. A later one is shown instead of what was found. */
  place: string;
}

export interface FindInFile {
  isOpen: boolean;
  words: string;
  /** Undefined while the file is being read. */
  matches: readonly Match[] | undefined;
  isError: boolean;
  byLine: ReadonlyMap<number, readonly Match[]>;
  current: Match | undefined;
  /** The line to show: that of the occurrence, or the one in the address. */
  line: number;
  open: () => void;
  close: () => void;
  search: (words: string) => void;
  /** Goes to the next (1) or previous (−1) occurrence; from the last one to the first. */
  step: (step: 1 | -1) => void;
}

/** Reads all lines of a file, also those that are not drawn. */
async function readLines(path: string, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for (let page = 0; ; page += 1) {
    const read = await readPage(path, page, signal);
    // In place of a page after the end, which a file has that became shorter meanwhile, there is the last one again.
    if (read.start_line !== lines.length + 1) return lines;
    lines.push(...read.lines);
    if (read.lines.length === 0 || read.end_line >= read.total_lines) return lines;
  }
}

/** Searches within a file, of which `from` is the selected line. Another file ends the search. */
export function useFindInFile(path: string, from: number): FindInFile {
  const place = `${path}:${from}`;
  const start: Found = { path, isOpen: false, words: '', anchor: { line: from, start: 0 }, place };
  const [state, setState] = useState(start);
  const found = state.path === path ? state : start;
  const { isOpen, words, anchor } = found;
  const text = useQuery({
    queryKey: ['file', path, 'lines'],
    queryFn: ({ signal }) => readLines(path, signal),
    enabled: isOpen,
    staleTime: 0,
  });
  const wanted = useDeferredValue(isOpen ? words : '');
  const matches = useMemo(() => text.data && findMatches(text.data, wanted), [text.data, wanted]);
  const byLine = useMemo(() => groupByLine(matches ?? []), [matches]);
  const isFrom = ({ line, start }: Match) => line > anchor.line || (line === anchor.line && start >= anchor.start);
  const current = matches?.find(isFrom) ?? matches?.[0];
  const set = (changed: Partial<Found>) => setState({ ...found, ...changed, place });
  return {
    ...{ isOpen, words, matches, isError: text.isError, byLine, current },
    line: found.place === place ? (current?.line ?? anchor.line) : from,
    open: () => set(isOpen ? {} : { isOpen: true, anchor: start.anchor }),
    close: () => set({ isOpen: false, words: '', ...(current && { anchor: current }) }),
    search: (words) => set({ words }),
    step: (step) => {
      const at = current ? (matches?.indexOf(current) ?? -1) : -1;
      const next = matches?.at((at + step) % matches.length);
      if (next) set({ anchor: next });
    },
  };
}
