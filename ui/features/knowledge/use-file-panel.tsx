import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { FilePanel } from './file-panel.js';

/** The file and lines in the query. */
export type FilePlace = { file?: string; from?: number; to?: number };

/** Returns the panel for the file in the query, or null. Closing it removes the file from the query. */
export function useFilePanel(): ReactNode {
  const { file, from: first = 1, to: last = first }: FilePlace = useSearch({ strict: false });
  // A link to lines, `#L10-L20`, goes before the lines of the citation that opened the file.
  const [, start = first, end = start] = /^L(\d{1,7})(?:-L(\d{1,7}))?$/.exec(useLocation().hash) ?? [
    undefined,
    first,
    last,
  ];
  const [from, to] = [Math.max(1, Number(start)), Number(end)];
  const navigate = useNavigate();
  const close = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (was) => ({ ...was, file: undefined, from: undefined, to: undefined }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  if (file === undefined) return null;
  return (
    <ErrorBoundary what="The file could not be drawn.">
      <FilePanel path={file} from={from} to={to} onClose={close} />
    </ErrorBoundary>
  );
}
