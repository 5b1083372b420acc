import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ForeignState } from '../../../daemon/contract/foreign-state.js';
import { Notice } from '../../components/notes.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import { call } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';

const UNTRACK = 'git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state';
const ADOPT = 'meshd down && meshd adopt && meshd up';

/** The state changes only when the daemon starts, so it is read once. */
export const foreignStateQuery = () =>
  queryOptions({
    queryKey: ['foreign-state'],
    queryFn: ({ signal }) => call<ForeignState>('/foreign-state', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The notice that state made by another machine was set aside at startup, and how to adopt it. */
export function ForeignStateNotice() {
  const folders = useQuery(foreignStateQuery()).data?.folders ?? [];
  if (folders.length === 0) return null;
  const isTracked = folders.some(({ reason }) => reason === 'tracked');
  return (
    <Notice tone="needs">
      <p>
        <strong>State from another machine was set aside.</strong> It was not read, and a new state was created, because
        a repository can contain such files. Adopt what is yours, or remove the{' '}
        {folders.length === 1 ? 'folder' : 'folders'}.
      </p>
      <ul>
        {folders.map(({ folder }) => (
          <li key={folder}>
            <code>{toDisplayText(folder)}</code>
          </li>
        ))}
      </ul>
      {isTracked && (
        <>
          <p>
            <strong>Git tracks files of it:</strong> every start creates a new state until you remove them from git and
            commit.
          </p>
          <InTerminal command={UNTRACK} />
        </>
      )}
      <InTerminal command={ADOPT} />
    </Notice>
  );
}
