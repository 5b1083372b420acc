import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Preferences } from '../../../daemon/contract/system.js';
import type { Roadmap } from '../../../daemon/contract/work/roadmap.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { ErrorPanel, Skeleton } from '../../components/states.js';
import { CodeBlock } from '../../components/text/code-block.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import { NoModelNotice } from '../../features/models/no-model-notice.js';
import type { WritableState } from '../../features/roadmap/board/board-columns.js';
import type { RoadmapBoardProps } from '../../features/roadmap/board/roadmap-board.js';
import { CheckCommandsSection } from '../../features/roadmap/check-commands.js';
import { EditTaskDialog } from '../../features/roadmap/edit-task-dialog.js';
import styles from '../../features/roadmap/roadmap.module.css';
import { RoadmapProblems } from '../../features/roadmap/roadmap-problems.js';
import { roadmapQuery, usePatchTask } from '../../features/roadmap/roadmap-queries.js';
import { RunControls } from '../../features/roadmap/run-controls.js';
import { formatTaskProgress, groupByHeading } from '../../features/roadmap/task-format.js';
import { TaskRow } from '../../features/roadmap/task-row.js';
import { usePatchPreferences } from '../../features/system/system-mutations.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useChosen } from '../../lib/use-chosen.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/roadmap');
type View = Preferences['roadmap_view'];
const RoadmapBoard = fetched(() => import('../../features/roadmap/board/roadmap-board.js'), <Skeleton rows={4} />);

export function RoadmapPage() {
  const roadmap = useQuery(roadmapQuery());
  usePageTitle('Roadmap');
  return (
    <>
      <PageHead
        title="Roadmap"
        lede="Tasks of .mesh/roadmap.md in order. Edit the file here or in any editor; the file on disk is used."
        actions={roadmap.data && roadmap.data.tasks.length > 0 && <RunControls roadmap={roadmap.data} />}
      />
      <NoModelNotice />
      <Loaded query={roadmap} what="The roadmap could not be read." rows={6}>
        {(data) => (
          <>
            <RoadmapProblems path={data.path} problems={data.problems} />
            {data.conv !== null && (
              <p className="small">
                <Link to="/talk/$conv" params={{ conv: data.conv }}>
                  {data.running ? 'Conversation of this run' : 'Conversation of the last run'}
                </Link>
              </p>
            )}
            {data.tasks.length === 0 ? <NoTasks path={data.path} /> : <Tasks roadmap={data} />}
            <CheckCommandsSection />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The choice of list or board, which is kept as a preference. */
function ViewChoice({ view, onChoose }: { view: View; onChoose: (view: View) => void }) {
  return (
    <fieldset className={segments.segments}>
      <legend className="visually-hidden">Show as</legend>
      {(['list', 'board'] as const).map((one) => (
        <button
          key={one}
          type="button"
          className={segments.segment}
          aria-pressed={view === one}
          onClick={() => onChoose(one)}
        >
          {one === 'list' ? 'List' : 'Board'}
        </button>
      ))}
    </fieldset>
  );
}

function Tasks({ roadmap }: { roadmap: Roadmap }) {
  const { edit: editedId } = route.useSearch();
  const navigate = useNavigate({ from: '/roadmap' });
  const members = useQuery(teamQuery()).data?.members ?? [];
  const patch = usePatchTask();
  const preferences = usePatchPreferences();
  const [view, setView] = useChosen(useQuery(preferencesQuery()).data?.roadmap_view ?? 'list', (roadmap_view) =>
    preferences.mutateAsync({ roadmap_view }),
  );
  const edited = roadmap.tasks.find(({ id }) => id === editedId);
  const busy = patch.isPending ? patch.variables.id : undefined;
  const setState = (id: string, state: WritableState) => patch.mutate({ id, patch: { state } });
  const edit = (id: string) => void navigate({ search: { edit: id }, resetScroll: false });
  return (
    <>
      <Section
        title={roadmap.running ? 'Tasks, running' : 'Tasks'}
        count={formatTaskProgress(roadmap.tasks)}
        actions={<ViewChoice view={view} onChoose={setView} />}
      >
        {patch.error && <ErrorPanel what="The task was not changed." error={patch.error} />}
        {preferences.error && <ErrorPanel what="The choice was not kept." error={preferences.error} />}
        {view === 'board' ? (
          <RoadmapBoard tasks={roadmap.tasks} busy={busy} onState={setState} onEdit={edit} />
        ) : (
          <TaskList tasks={roadmap.tasks} busy={busy} onState={setState} onEdit={edit} />
        )}
      </Section>
      {edited && (
        <EditTaskDialog
          key={edited.id}
          task={edited}
          members={members.map(({ id }) => id)}
          onClose={() => void navigate({ search: {}, replace: true, resetScroll: false })}
        />
      )}
    </>
  );
}

/** The tasks in the order of the file, below its headings. */
function TaskList({ tasks: all, busy, onState, onEdit }: RoadmapBoardProps) {
  const groups = groupByHeading(all);
  return groups.map(({ heading, tasks }) => (
    <Fragment key={tasks[0]?.id}>
      {groups.length > 1 && heading !== null && <h3 className={styles.heading}>{toDisplayText(heading)}</h3>}
      <ol className={rows.rows} aria-label={groups.length > 1 && heading !== null ? toDisplayText(heading) : 'Tasks'}>
        {tasks.map((task) => (
          <TaskRow
            key={task.id}
            task={task}
            isBusy={busy === task.id}
            onState={(state) => onState(task.id, state)}
            onEdit={() => onEdit(task.id)}
          />
        ))}
      </ol>
    </Fragment>
  ));
}

const EXAMPLE = `- [ ] dusk: Let the lights come on ten minutes earlier @developer
  check: command test
- [ ] docs: Say so in the README @developer
  after: dusk
- [x] ports: Document the status port
- [-] ship: Release 0.2 @deployer
  reason: the release key is missing
`;

function NoTasks({ path }: { path: string }) {
  return (
    <div className="stack">
      <EmptyState>
        No tasks yet. Write tasks into <code>{path}</code>, one per line: an id, a colon, the task, and the member who
        does it. A task is open, done or blocked. A run gives open tasks to their members in order; a task is done when
        its <code>check:</code> has passed.
      </EmptyState>
      <CodeBlock label={path} text={EXAMPLE} wraps />
      <InTerminal command="meshd roadmap ls" />
    </div>
  );
}
