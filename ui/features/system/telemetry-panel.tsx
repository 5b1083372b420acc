import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Telemetry, TelemetryTest } from '../../../daemon/contract/telemetry.js';
import { Button } from '../../components/button.js';
import { ChoiceField, TextField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { shellWords } from '../../lib/shell-words.js';
import styles from './doctor-panel.module.css';
import { telemetryQuery, useTelemetry, useTelemetryOff, useTelemetryTest } from './telemetry-queries.js';

/** Where traces and metrics are sent, what is sent, and how it went. */
export function TelemetryPanel() {
  const telemetry = useQuery(telemetryQuery());
  const address = telemetry.data?.address;
  return (
    <Section title="Telemetry" count={telemetry.data && (address === null ? 'off' : 'on')}>
      <Loaded query={telemetry} what="The telemetry settings could not be read." rows={3}>
        {(data) => (
          <div className={styles.preferences}>
            {data.address === null ? (
              <p className="quiet">
                Nothing is sent. A collector of yours can receive traces of questions, turns and tool calls, and
                metrics, by OpenTelemetry.
              </p>
            ) : (
              <Sending telemetry={data} address={data.address} />
            )}
            <Settings key={data.address} telemetry={data} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function Sending({ telemetry, address }: { telemetry: Telemetry; address: string }) {
  const { content, header_names, sent, queued, dropped, last_success_at, last_error } = telemetry;
  const test = useTelemetryTest();
  const off = useTelemetryOff();
  return (
    <>
      <KeyValue
        rows={[
          [
            'Address',
            <span key="address" className="mono">
              {toDisplayText(address)}
            </span>,
          ],
          ['Sends', content ? 'traces and metrics, with texts without secrets' : 'traces and metrics, no texts'],
          header_names.length > 0 && ['Headers', header_names.join(', ')],
          ['Spans', `${sent.toLocaleString('en')} sent, ${queued} waiting, ${dropped.toLocaleString('en')} dropped`],
          ['Last success', last_success_at === null ? 'none yet' : <ExactAgo key="success" at={last_success_at} />],
          last_error && [
            'Last error',
            <span key="error">
              <ExactAgo at={last_error.at} />: {toDisplayText(last_error.message)}
            </span>,
          ],
        ]}
      />
      <div className="cluster">
        <Button isBusy={test.isPending} onClick={() => test.mutate()}>
          Send a test span
        </Button>
        <Button look="danger" isBusy={off.isPending} onClick={() => off.mutate(undefined)}>
          Turn off
        </Button>
      </div>
      <div role="status">{test.data && <TestOutcome test={test.data} />}</div>
      {test.error && <ErrorPanel what="No span was sent." error={test.error} />}
      {off.error && <ErrorPanel what="Telemetry is still on." error={off.error} />}
    </>
  );
}

function TestOutcome({ test: { ok, message, ms, trace_id } }: { test: TelemetryTest }) {
  return (
    <Notice tone={ok ? 'well' : 'failed'}>
      <p>
        <strong>{ok ? 'The collector took it.' : 'The collector did not take it.'}</strong> {toDisplayText(message)}
      </p>
      {ok && (
        <p className="small">
          Trace <code>{trace_id}</code>, {ms} ms.
        </p>
      )}
    </Notice>
  );
}

/** One header as it is typed, `Name: value`; undefined for an empty text. */
function readHeader(text: string): { name: string; value: string } | undefined {
  const [, name = '', value = ''] = /^([^\s:]*):?\s*(.*)$/s.exec(text.trim()) ?? [];
  return text.trim() === '' ? undefined : { name, value };
}

function Settings({ telemetry }: { telemetry: Telemetry }) {
  const [address, setAddress] = useState(telemetry.address ?? '');
  const [header, setHeader] = useState('');
  const [content, setContent] = useState(telemetry.content);
  const change = useTelemetry();
  const typed = readHeader(header);
  const isHalf = typed !== undefined && (typed.name === '' || typed.value === '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (address.trim() === '' || isHalf) return;
    change.mutate(
      { address: address.trim(), content, ...(typed ? { headers: [typed] } : {}) },
      { onSuccess: () => setHeader('') },
    );
  };
  const reason = address.trim() === '' ? 'Type the address of a collector.' : isHalf ? 'Fix the header.' : undefined;
  const isOn = telemetry.address !== null;
  return (
    <form className={styles.preferences} onSubmit={submit}>
      <TextField
        label="Address of the collector"
        hint="OTLP over HTTP: https, or http on this machine, such as http://127.0.0.1:4318."
        value={address}
        inputMode="url"
        spellCheck={false}
        autoCapitalize="off"
        onChange={(event) => setAddress(event.target.value)}
      />
      <TextField
        label="Header with a key"
        hint={
          telemetry.header_names.length > 0
            ? 'Kept for the same server. A new one replaces it: Name: value.'
            : 'If the collector asks for one: Name: value. Kept in .mesh/credentials, never shown.'
        }
        error={isHalf ? 'Write it as Name: value.' : undefined}
        type="password"
        autoComplete="off"
        value={header}
        onChange={(event) => setHeader(event.target.value)}
      />
      <ChoiceField
        label="Send texts too"
        hint="Questions, answers, and what tools read and return, without secrets."
        checked={content}
        onChange={(event) => setContent(event.target.checked)}
      />
      <div>
        <Button type="submit" isBusy={change.isPending} reasonDisabled={reason}>
          {isOn ? 'Save' : 'Turn on'}
        </Button>
      </div>
      <InTerminal
        command={`meshd telemetry set ${shellWords([address.trim() || 'http://127.0.0.1:4318'])}${content ? ' --content' : ''}`}
      />
      {change.error && <ErrorPanel what="Nothing was changed." error={change.error} />}
    </form>
  );
}
