import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Schedule } from '../../../../daemon/contract/work/schedules.js';
import { Button } from '../../../components/button.js';
import { Loaded } from '../../../components/loaded.js';
import { EmptyState } from '../../../components/notes.js';
import { DeletionRow } from '../../../components/pending-deletion.js';
import rows from '../../../components/rows.module.css';
import { PageHead, Section } from '../../../components/section.js';
import { ErrorPanel } from '../../../components/states.js';
import { NoModelNotice } from '../../../features/models/no-model-notice.js';
import { ScheduleForm } from '../../../features/schedules/schedule-form.js';
import { ScheduleRow } from '../../../features/schedules/schedule-row.js';
import {
  schedulesQuery,
  useDeleteSchedule,
  usePatchSchedule,
  useRunSchedule,
  useScheduleDeletions,
} from '../../../features/schedules/schedules-queries.js';
import { usePageTitle } from '../../page-title.js';

const route = getRouteApi('/schedules');

export function SchedulesPage() {
  const schedules = useQuery(schedulesQuery());
  const { make, edit, show } = route.useSearch();
  const navigate = useNavigate({ from: '/schedules' });
  const close = () => void navigate({ search: show === undefined ? {} : { show }, replace: true, resetScroll: false });
  usePageTitle('Schedules');
  const add = (
    <Button look="primary" onClick={() => void navigate({ search: { make: 'new' }, resetScroll: false })}>
      New schedule
    </Button>
  );
  const edited = schedules.data?.schedules.find(({ id }) => id === edit);
  return (
    <>
      <PageHead
        title="Schedules"
        lede="What members do at set times, or once a task of the roadmap is done. Each run is a new conversation."
        actions={schedules.data && schedules.data.count > 0 && add}
      />
      <NoModelNotice />
      <Loaded query={schedules} what="The schedules could not be read." rows={4}>
        {({ schedules: list }) =>
          list.length === 0 ? (
            <EmptyState
              action={add}
              command={'meshd schedule add --member developer --cron "0 9 * * 1-5" "Look at what broke overnight"'}
            >
              No schedules yet. Choose a member, what it is to do, and when: the next times are shown before you add it.
              A run that nobody attends waits for no answer: a permission that you do not give in time is denied, and
              the run says so.
            </EmptyState>
          ) : (
            <Schedules list={list} />
          )
        }
      </Loaded>
      {make === 'new' && <ScheduleForm onClose={close} />}
      {edited && <ScheduleForm key={edited.id} schedule={edited} onClose={close} />}
    </>
  );
}

function Schedules({ list }: { list: readonly Schedule[] }) {
  const { show } = route.useSearch();
  const navigate = useNavigate({ from: '/schedules' });
  const run = useRunSchedule();
  const patch = usePatchSchedule();
  const remove = useDeleteSchedule();
  const deletions = useScheduleDeletions();
  const error = run.error ?? patch.error;
  return (
    <Section title="Schedules" count={list.length}>
      {error && <ErrorPanel what={run.error ? 'No run was started.' : 'The schedule was not changed.'} error={error} />}
      <ul className={rows.rows} aria-label="Schedules">
        {list.map((schedule) => {
          const { id } = schedule;
          const deletion = deletions.get(id);
          if (deletion) return <DeletionRow key={id} deletion={deletion} />;
          const reset = () => {
            run.reset();
            patch.reset();
          };
          return (
            <ScheduleRow
              key={id}
              schedule={schedule}
              isShown={show === id}
              isBusy={(run.isPending && run.variables === id) || (patch.isPending && patch.variables.id === id)}
              onShow={(isShown) =>
                void navigate({ search: isShown ? { show: id } : {}, replace: true, resetScroll: false })
              }
              onRun={() => {
                reset();
                run.mutate(id);
              }}
              onPause={(paused) => {
                reset();
                patch.mutate({ id, patch: { paused } });
              }}
              onEdit={() =>
                void navigate({ search: show === undefined ? { edit: id } : { edit: id, show }, resetScroll: false })
              }
              onDelete={() => remove(schedule)}
              onSeen={({ run: seen }) => patch.mutate({ id, patch: { seen } })}
            />
          );
        })}
      </ul>
    </Section>
  );
}
