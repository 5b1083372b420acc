import { useQuery } from '@tanstack/react-query';
import { InTerminal } from '../../components/in-terminal.js';
import { Notice } from '../../components/notes.js';
import { shownWords } from '../../lib/shown-words.js';
import { foreignStateQuery } from './system-queries.js';

const UNTRACK = 'git rm -r --cached .mesh/credentials .mesh/state';
const ADOPT = 'meshd down && meshd adopt && meshd up';

/** State that this machine did not make and that a start has set aside: what happened, and how to take over what is the operator's own. */
export function ForeignStateNotice() {
  const folders = useQuery(foreignStateQuery()).data?.folders ?? [];
  if (folders.length === 0) return null;
  const isTracked = folders.some(({ reason }) => reason === 'tracked');
  return (
    <Notice tone="needs">
      <p>
        <strong>State that this machine did not make was set aside.</strong> Nothing of it was read, and a fresh state
        was begun: a repository can bring such files. Take over what is yours, or remove the{' '}
        {folders.length === 1 ? 'folder' : 'folders'}.
      </p>
      <ul>
        {folders.map(({ folder }) => (
          <li key={folder}>
            <code>{shownWords(folder)}</code>
          </li>
        ))}
      </ul>
      {isTracked && (
        <>
          <p>
            <strong>Git tracks files of it:</strong> every start begins anew until they are taken out of git and that is
            committed.
          </p>
          <InTerminal command={UNTRACK} />
        </>
      )}
      <InTerminal command={ADOPT} />
    </Notice>
  );
}
