import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { ImportCandidates, Imported } from '../../../daemon/contract/imports.js';
import { Button, buttonClass } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
import { PageHead } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { Icon } from '../../components/text/icon.js';
import { useToast } from '../../components/toasts.js';
import { ImportForm } from '../../features/imports/import-form.js';
import { ImportResult } from '../../features/imports/import-result.js';
import { useUndoImport } from '../../features/imports/imports-mutations.js';
import { importsQuery } from '../../features/imports/imports-queries.js';
import { TOOL_FOLDERS } from '../../features/imports/tool-names.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/import');

/** Imports agents of other tools as members: what was found, a preview, and the result. */
export function ImportPage() {
  const isHomeShown = route.useSearch().home === 'shown';
  const project = useQuery(importsQuery('project'));
  const home = useQuery({ ...importsQuery('user'), enabled: isHomeShown });
  const { result, show, leave } = useResult();
  const top = useRef<HTMLDivElement>(null);
  usePageTitle('Import agents');

  const imported = (done: Imported) => {
    show(done);
    top.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };
  return (
    <div ref={top} className="stack">
      <PageHead
        title={result ? 'Imported' : 'Import agents'}
        lede={
          result
            ? 'They are internal: no program can ask them until you expose them.'
            : 'Agents of other tools become members. Their files are not changed. Nothing is written until you ' +
              'press Import.'
        }
        actions={
          !result && (
            <ScanActions
              isBusy={project.isFetching || home.isFetching}
              isHomeShown={isHomeShown}
              onScan={() => {
                void project.refetch();
                if (isHomeShown) void home.refetch();
              }}
            />
          )
        }
      />
      {result ? (
        <ImportResult result={result} onMore={leave} />
      ) : (
        <Loaded query={project} what="The scan for agents of other tools failed." rows={6}>
          {(data) => (
            <>
              {isHomeShown && home.error && (
                <ErrorPanel what="The home folder could not be scanned." error={home.error} />
              )}
              <FoundFiles
                looked={[data, ...(isHomeShown && home.data ? [home.data] : [])]}
                isHomeShown={isHomeShown}
                isHomeLooked={isHomeShown && home.data !== undefined}
                onImported={imported}
              />
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

interface ScanActionsProps {
  isBusy: boolean;
  isHomeShown: boolean;
  onScan: () => void;
}

function ScanActions({ isBusy, isHomeShown, onScan }: ScanActionsProps) {
  return (
    <>
      <Button isBusy={isBusy} onClick={onScan}>
        <Icon name="again" />
        Scan again
      </Button>
      <HomeLink isShown={isHomeShown} />
    </>
  );
}

/** Returns the result of the last import, and functions that show one, with an undo, and leave it. */
function useResult() {
  const [result, setResult] = useState<Imported>();
  const undo = useUndoImport();
  const say = useToast();
  const leave = () => setResult(undefined);
  const takeBack = async (ids: string[]) => {
    const left = await undo.mutateAsync(ids);
    leave();
    if (left.length === 0)
      say({ text: `${ids.length === 1 ? `${ids[0]} is` : `${ids.length} members are`} removed again.` });
    else say({ text: `${left.join(', ')} could not be removed.`, tone: 'failed' });
  };
  const show = (done: Imported) => {
    setResult(done);
    const ids = done.imported.map(({ id }) => id);
    if (ids.length > 0)
      say({
        text: `${ids.length === 1 ? `${ids[0]} is a member` : `${ids.length} members are imported`}.`,
        action: { label: 'Undo', run: () => void takeBack(ids) },
      });
  };
  return { result, show, leave };
}

function HomeLink({ isShown }: { isShown: boolean }) {
  return (
    <Link to="/import" search={isShown ? {} : { home: 'shown' }} replace className={buttonClass()}>
      {isShown ? 'Only this project' : 'Also scan the home folder'}
    </Link>
  );
}

function FoundFiles({
  looked,
  isHomeShown,
  isHomeLooked,
  onImported,
}: {
  looked: readonly ImportCandidates[];
  isHomeShown: boolean;
  isHomeLooked: boolean;
  onImported: (imported: Imported) => void;
}) {
  const found = looked.flatMap((one) => one.found);
  const leftOut = looked.reduce((sum, one) => sum + one.left_out, 0);
  if (found.length === 0)
    return (
      <EmptyState action={isHomeShown ? undefined : <HomeLink isShown={false} />} command="meshd team import">
        No agents of other tools found.{' '}
        {isHomeLooked ? 'Scanned the project and the home folder' : 'Scanned the project'} for{' '}
        {TOOL_FOLDERS.map((folder, at) => (
          <span key={folder}>
            {at > 0 && (at === TOOL_FOLDERS.length - 1 ? ' and ' : ', ')}
            <code>{folder}</code>
          </span>
        ))}
        .
      </EmptyState>
    );
  return (
    <>
      {leftOut > 0 && (
        <Notice tone="info">
          <p>
            {leftOut} more files are not shown: a scan ends at {found.length}. In a terminal,{' '}
            <code>meshd team import --from claude</code> scans one tool only.
          </p>
        </Notice>
      )}
      <ImportForm found={found} onImported={onImported} />
    </>
  );
}
