import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FileLines } from '../../../daemon/contract/system.js';
import { call, query } from '../../lib/api.js';

/** The most that one response holds. */
export const PAGE_LINES = 2_000;

export type FilePages = UseInfiniteQueryResult<InfiniteData<FileLines>>;

const findPage = (line: number) => Math.floor((line - 1) / PAGE_LINES);

/** Reads a page of a file; the last one in place of a page after the end. */
export async function readPage(path: string, page: number, signal: AbortSignal): Promise<FileLines> {
  const read = (number: number) => {
    const start = number * PAGE_LINES + 1;
    return call<FileLines>(`/project/file${query({ path, start, end: start + PAGE_LINES - 1 })}`, { signal });
  };
  const file = await read(page);
  const isAfterEnd = file.lines.length === 0 && file.total_lines > 0;
  return isAfterEnd ? read(findPage(file.total_lines)) : file;
}

/**
 * Reads a file by pages of 2,000 lines, that of line `from` first. Selecting a line of a page that is there reads
 * nothing again.
 */
export function useFilePages(path: string, from: number): FilePages {
  const page = findPage(from);
  const [first, setFirst] = useState({ path, page });
  const pages = useInfiniteQuery({
    queryKey: ['file', first.path, 'pages', first.page] as const,
    queryFn: ({ signal, pageParam }) => readPage(first.path, pageParam, signal),
    initialPageParam: first.page,
    getNextPageParam: ({ end_line, total_lines }) => (end_line < total_lines ? findPage(end_line + 1) : undefined),
    getPreviousPageParam: ({ start_line }) => (start_line > 1 ? findPage(start_line - 1) : undefined),
    staleTime: 0,
  });
  const isThere = pages.data?.pages.some(({ start_line }) => findPage(start_line) === page) ?? first.page === page;
  const isAfterEnd = from > (pages.data?.pages[0]?.total_lines ?? from);
  if (first.path !== path || (!isThere && !isAfterEnd && first.page !== page)) setFirst({ path, page });
  return pages;
}
