import { useQuery } from '@tanstack/react-query';
import type { MemberTests } from '../../../daemon/contract/member-tests.js';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { Meter } from '../../components/meter.js';
import { EmptyState, Notice } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { isOpen } from '../team/is-open.js';
import { TestRow } from './test-row.js';
import styles from './tests.module.css';
import { TestsEditor } from './tests-editor.js';
import { formatTestsState, havePassed, shownTests } from './tests-format.js';
import { memberTestsQuery, useCancelTests, useRunTests, useWriteTests } from './tests-queries.js';

/** A member's tests: the questions with their state, and their file. */
export default function TestsTab({ member }: { member: MemberDetail }) {
  const tests = useQuery(memberTestsQuery(member.id));
  return (
    <Loaded query={tests} what="The tests could not be read." rows={6}>
      {(data) => (data.exists ? <Tests member={member} tests={data} /> : <NoTests member={member} tests={data} />)}
    </Loaded>
  );
}

function NoTests({ member, tests }: { member: MemberDetail; tests: MemberTests }) {
  const write = useWriteTests(member.id);
  const say = useToast();
  // This view may be unmounted by then, and the toast must be shown anyway.
  const begin = () =>
    void write.mutateAsync({ text: tests.starter ?? '', revision: null }).then(
      () => say({ text: `Wrote ${tests.path}` }),
      () => undefined,
    );
  return (
    <Section title="Tests">
      <EmptyState
        command={`meshd team test ${member.id} --init`}
        action={
          <Button
            look="primary"
            onClick={begin}
            isBusy={write.isPending}
            reasonDisabled={tests.starter === null ? 'Fix the member’s file first.' : undefined}
          >
            Start from its examples
          </Button>
        }
      >
        No tests yet. Tests state what {toDisplayText(member.name)} must answer: questions, with what each answer must
        cite and say, in <code>{tests.path}</code>. They run as real requests and can block exposure until they pass.
      </EmptyState>
      {write.error && <ErrorPanel what="The file was not written." error={write.error} />}
    </Section>
  );
}

function Tests({ member, tests }: { member: MemberDetail; tests: MemberTests }) {
  const run = useRunTests(member.id);
  const cancel = useCancelTests(member.id);
  const { progress, running, problem } = tests;
  const shown = shownTests(tests);
  return (
    <div className="stack">
      {problem === null && (
        <Section
          title="Tests"
          count={tests.tests.length}
          actions={
            running ? (
              <Button onClick={() => cancel.mutate(undefined)} isBusy={cancel.isPending}>
                Stop
              </Button>
            ) : (
              <Button look="primary" onClick={() => run.mutate(undefined)} isBusy={run.isPending}>
                {tests.last_run ? 'Run again' : 'Run'}
              </Button>
            )
          }
        >
          <div className={styles.state}>
            <p aria-live="polite">
              {progress ? (
                `Asking ${Math.min(progress.total, progress.results.length + 1)} of ${progress.total}.`
              ) : (
                <LastRunSummary tests={tests} />
              )}
            </p>
            {progress && <Meter value={progress.results.length / progress.total} />}
            <ExposureNotice member={member} tests={tests} />
            {run.error && <ErrorPanel what="The tests were not started." error={run.error} />}
            {cancel.error && <ErrorPanel what="The tests were not stopped." error={cancel.error} />}
          </div>
          <ul className={`${rows.rows} ${styles.tests}`}>
            {shown.map((one, index) => (
              <TestRow
                key={one.test.question}
                shown={one}
                requestId={progress?.request_id ?? null}
                onRun={running ? undefined : () => run.mutate([index])}
              />
            ))}
          </ul>
        </Section>
      )}
      <Section title="File">
        <div className={styles.file}>
          <TestsEditor tests={tests} />
        </div>
      </Section>
    </div>
  );
}

function LastRunSummary({ tests }: { tests: MemberTests }) {
  const { last_run } = tests;
  if (!last_run) return 'Never run.';
  return (
    <>
      Ran <ExactAgo at={last_run.at} />: {formatTestsState(tests)}.
      {!last_run.current && ' The member or its tests have changed since. Run them again.'}
    </>
  );
}

/** How the tests affect exposure: whether they block it. A later failure does not revoke it. */
function ExposureNotice({ member, tests }: { member: MemberDetail; tests: MemberTests }) {
  if (!tests.blocks_exposure || tests.running) return null;
  if (tests.holds_door) {
    return (
      <Notice tone="needs">
        <p>
          <strong>The member stays internal.</strong> These tests block exposure until all of them pass for the current
          member.
        </p>
      </Notice>
    );
  }
  if (!isOpen(member))
    return <p className="quiet">These tests block exposure and have passed: the member can be exposed.</p>;
  if (havePassed(tests)) return null;
  return (
    <Notice tone="needs">
      <p>
        <strong>{toDisplayText(member.name)} is already exposed.</strong> Later failures do not block callers. Its card
        shows the test state.
      </p>
    </Notice>
  );
}
