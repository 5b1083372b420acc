import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClientChoice, ClientTest } from '../../../daemon/contract/clients.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import { Elapsed } from '../../components/text/time.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { teamQuery } from '../team/team-queries.js';
import { cliWords } from './cli-words.js';
import styles from './models.module.css';
import { useClientTest, useModel } from './models-queries.js';

const ALL = '*';

interface TestAndUseProps {
  /** What is tested and used. */
  choice: ClientChoice;
  /** Why it cannot be tested yet. */
  missing: string | undefined;
  /** Called when it is in use, so that a typed key is dropped. */
  onUsed?: () => void;
}

/** The test of one way, and for whom it is used once it has passed. */
export function TestAndUse({ choice, missing, onUsed }: TestAndUseProps) {
  const { start, stop, test } = useClientTest();
  const [tested, setTested] = useState<string>();
  const isRunning = start.isPending || test?.state === 'running';
  const key = JSON.stringify(choice);
  const hasPassed = test?.state === 'passed' && tested === key;
  const begin = () => {
    setTested(key);
    start.mutate(choice);
  };
  return (
    <div className={styles.outcome}>
      <div className="cluster">
        <Button isBusy={isRunning} reasonDisabled={missing} onClick={begin}>
          Test
        </Button>
        {test?.state === 'running' && (
          <Button look="danger" isBusy={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        )}
        {test?.state === 'running' && <Elapsed since={test.started_at} />}
      </div>
      <div role="status" className={styles.outcome}>
        {test && tested === key && <TestOutcome test={test} />}
      </div>
      <InTerminal command={`meshd clients test ${cliWords(choice)}`} />
      {start.error && <ErrorPanel what="The test was not started." error={start.error} />}
      <UseFor choice={choice} reason={hasPassed ? undefined : 'Test it first.'} onUsed={onUsed} />
    </div>
  );
}

const stages = { starting: 'Starting.', answering: 'Answering.', ended: '' } as const;

export function TestOutcome({ test }: { test: ClientTest }) {
  const { state, stage, answer, reason, ms, limit_seconds } = test;
  if (state === 'running')
    return (
      <p className="quiet">
        {stages[stage]} It may take {limit_seconds} s.
      </p>
    );
  if (state === 'passed')
    return (
      <Notice tone="well">
        <p>
          <strong>It works.</strong> Answered in {formatDuration(ms)}: {toDisplayText(answer)}
        </p>
      </Notice>
    );
  if (state === 'cancelled') return <p className="quiet">You stopped the test.</p>;
  return (
    <Notice tone="failed">
      <p>
        <strong>It did not answer.</strong> {toDisplayText(reason ?? '')}
      </p>
    </Notice>
  );
}

function UseFor({
  choice,
  reason,
  onUsed,
}: {
  choice: ClientChoice;
  reason: string | undefined;
  onUsed: (() => void) | undefined;
}) {
  const members = useQuery(teamQuery()).data?.members ?? [];
  const [member, setMember] = useState(ALL);
  const use = useModel();
  const say = useToast();
  const name = members.find(({ id }) => id === member)?.name;
  const submit = () =>
    use.mutate(
      { ...choice, ...(member === ALL ? {} : { member }) },
      {
        onSuccess() {
          say({ text: member === ALL ? 'All members on auto run on it.' : `${name ?? member} runs on it.` });
          onUsed?.();
        },
      },
    );
  return (
    <>
      <div className={`cluster ${styles.use}`}>
        <SelectField
          label="Use for"
          value={member}
          options={[
            { value: ALL, label: 'All members on auto' },
            ...members.map((one) => ({ value: one.id, label: one.name })),
          ]}
          onChange={(event) => setMember(event.target.value)}
        />
        <Button look="primary" isBusy={use.isPending} reasonDisabled={reason} onClick={submit}>
          Use
        </Button>
      </div>
      <InTerminal command={`meshd clients use ${cliWords(choice)}${member === ALL ? '' : ` --member ${member}`}`} />
      {use.error && <ErrorPanel what="It is not used." error={use.error} />}
    </>
  );
}
