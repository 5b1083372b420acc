import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { FilePanel } from './file-panel.js';

/** The file and lines that an address names. */
export type FilePlace = { file?: string; from?: number; to?: number };

/** The panel of the file that the address names, or nothing; closing it takes the file out of the address. */
export function useFilePanel(): ReactNode {
  const { file, from = 1, to = from }: FilePlace = useSearch({ strict: false });
  const navigate = useNavigate();
  const close = useCallback(
    () => void navigate({ to: '.', search: {}, replace: true, resetScroll: false }),
    [navigate],
  );
  if (file === undefined) return null;
  return (
    <ErrorBoundary what="The file could not be drawn.">
      <FilePanel path={file} from={from} to={to} onClose={close} />
    </ErrorBoundary>
  );
}
