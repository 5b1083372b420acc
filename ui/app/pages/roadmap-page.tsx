import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import type { Roadmap } from '../../../daemon/contract/work/roadmap.js';
import { Button, buttonClass } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { CodeBlock } from '../../components/text/code-block.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import { NoModelNotice } from '../../features/models/no-model-notice.js';
import { CheckCommandsSection } from '../../features/roadmap/check-commands.js';
import { EditTaskDialog } from '../../features/roadmap/edit-task-dialog.js';
import styles from '../../features/roadmap/roadmap.module.css';
import { roadmapQuery, usePatchTask, useRunRoadmap, useStopRoadmap } from '../../features/roadmap/roadmap-queries.js';
import { formatTaskProgress, groupByHeading } from '../../features/roadmap/task-format.js';
import { TaskRow } from '../../features/roadmap/task-row.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { ApiError } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/roadmap');
const BOUNDS = ['1', '2', '3', '4', '5', '6', '7', '8'];

export function RoadmapPage() {
  const roadmap = useQuery(roadmapQuery());
  usePageTitle('Roadmap');
  return (
    <>
      <PageHead
        title="Roadmap"
        lede="Tasks of .mesh/roadmap.md in order. Edit the file here or in any editor; the file on disk is used."
        actions={roadmap.data && roadmap.data.tasks.length > 0 && <Run roadmap={roadmap.data} />}
      />
      <NoModelNotice />
      <Loaded query={roadmap} what="The roadmap could not be read." rows={6}>
        {(data) => (
          <>
            {data.problems.length > 0 && (
              <Notice tone="failed">
                {data.problems.map((problem) => (
                  <p key={problem}>
                    <span className="mono">{data.path}</span>: {toDisplayText(problem)}
                  </p>
                ))}
              </Notice>
            )}
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

/** Starts ready tasks, at most `limit` at once. Stopping starts no more and lets the running ones end. */
function Run({ roadmap }: { roadmap: Roadmap }) {
  const run = useRunRoadmap();
  const stop = useStopRoadmap();
  const [limit, setLimit] = useState<string>();
  const isReady = roadmap.tasks.some(({ state }) => state === 'open');
  const error = run.error ?? stop.error;
  return (
    <div className={styles.run}>
      <SelectField
        label="Parallel tasks"
        value={limit ?? String(roadmap.limit)}
        options={BOUNDS}
        onChange={(event) => {
          setLimit(event.target.value);
          if (roadmap.running) run.mutate({ limit: Number(event.target.value) });
        }}
      />
      {roadmap.running ? (
        <Button look="danger" isBusy={stop.isPending} onClick={() => stop.mutate(undefined)}>
          Stop
        </Button>
      ) : (
        <Button
          look="primary"
          isBusy={run.isPending}
          reasonDisabled={isReady ? undefined : 'No task is open.'}
          onClick={() => run.mutate({ limit: Number(limit ?? roadmap.limit) })}
        >
          Run
        </Button>
      )}
      {error && <ErrorPanel what="The roadmap was not started." error={error} />}
      {error instanceof ApiError && error.code === 'no_working_client' && (
        <Link to="/models" className={buttonClass('primary', true)}>
          Connect a model
        </Link>
      )}
    </div>
  );
}

function Tasks({ roadmap }: { roadmap: Roadmap }) {
  const { edit } = route.useSearch();
  const navigate = useNavigate({ from: '/roadmap' });
  const members = useQuery(teamQuery()).data?.members ?? [];
  const patch = usePatchTask();
  const groups = groupByHeading(roadmap.tasks);
  const edited = roadmap.tasks.find(({ id }) => id === edit);
  return (
    <>
      <Section title={roadmap.running ? 'Tasks, running' : 'Tasks'} count={formatTaskProgress(roadmap.tasks)}>
        {patch.error && <ErrorPanel what="The task was not changed." error={patch.error} />}
        {groups.map(({ heading, tasks }) => (
          <Fragment key={tasks[0]?.id}>
            {groups.length > 1 && heading !== null && <h3 className={styles.heading}>{toDisplayText(heading)}</h3>}
            <ol
              className={rows.rows}
              aria-label={groups.length > 1 && heading !== null ? toDisplayText(heading) : 'Tasks'}
            >
              {tasks.map((task) => (
                <TaskRow
                  key={task.id}
                  task={task}
                  isBusy={patch.isPending && patch.variables.id === task.id}
                  onState={(state) => patch.mutate({ id: task.id, patch: { state } })}
                  onEdit={() => void navigate({ search: { edit: task.id }, resetScroll: false })}
                />
              ))}
            </ol>
          </Fragment>
        ))}
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
