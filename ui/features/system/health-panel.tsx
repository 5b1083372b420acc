import { useQuery } from '@tanstack/react-query';
import type { Health, KnowledgeStatus } from '../../../daemon/contract/system.js';
import { formatBytes } from '../../../daemon/lib/text/format-bytes.js';
import { Loaded } from '../../components/loaded.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import styles from './doctor-panel.module.css';
import { healthQuery } from './system-queries.js';

export function HealthPanel() {
  const health = useQuery(healthQuery());
  return (
    <Loaded query={health} what="The daemon’s health could not be read." rows={8}>
      {(data) => (
        <>
          <Section title="Daemon">
            <DaemonFacts health={data} />
          </Section>
          <Section title="Project index">
            <IndexFacts knowledge={data.knowledge} />
          </Section>
          <Section title="Structure of the code">
            <StructureFacts structure={data.knowledge.structure} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function DaemonFacts({ health }: { health: Health }) {
  return (
    <>
      {health.store === 'readonly' && (
        <Notice tone="failed">
          <p>
            <strong>The store is read-only.</strong> Reads and answers work; new requests are refused until it is
            writable.
          </p>
        </Notice>
      )}
      <KeyValue
        rows={[
          ['Project', health.project],
          ['Started', <ExactAgo key="started" at={health.started_at} />],
          [
            'Process',
            <span key="pid" className="mono">
              {health.pid}
            </span>,
          ],
          ['Memory', formatBytes(health.rss_bytes)],
          ['Store', health.store === 'ok' ? 'writable' : 'read-only'],
          ['Members', `${health.members}, ${health.exposed} exposed, ${health.members_broken} broken`],
          ['Under way', `${health.requests_live} ${health.requests_live === 1 ? 'request' : 'requests'}`],
        ]}
      />
    </>
  );
}

function IndexFacts({ knowledge }: { knowledge: KnowledgeStatus }) {
  const words = {
    idle: 'idle: built with the first question',
    indexing: `indexing, ${knowledge.files_done} of ${knowledge.files_total} files`,
    ready: 'ready',
    failed: 'failed',
  }[knowledge.state];
  return (
    <>
      {knowledge.state === 'indexing' && (
        <progress
          className={styles.progress}
          value={knowledge.files_done}
          max={Math.max(1, knowledge.files_total)}
          aria-label="Indexing"
        />
      )}
      <KeyValue
        rows={[
          ['State', words],
          ['Files', knowledge.files_total.toLocaleString('en')],
          ['Passages', knowledge.passages.toLocaleString('en')],
          ['Text', formatBytes(knowledge.bytes)],
          knowledge.left_out > 0 && ['Too many or too large', knowledge.left_out.toLocaleString('en')],
          knowledge.not_text > 0 && ['Not text', knowledge.not_text.toLocaleString('en')],
          knowledge.commit !== null && [
            'Commit',
            <span key="commit" className="mono">
              {knowledge.commit.slice(0, 12)}
            </span>,
          ],
          knowledge.message !== undefined && ['Remark', knowledge.message],
        ]}
      />
    </>
  );
}

function StructureFacts({ structure }: Pick<KnowledgeStatus, 'structure'>) {
  const { state, files_done, files_total, languages, left_out } = structure;
  const words = {
    idle: 'not ready: read after the index',
    reading: `not ready: ${files_done} of ${files_total} files read`,
    ready: 'ready',
    failed: 'failed: questions about it are answered by the text search',
  }[state];
  return (
    <>
      {state === 'reading' && (
        <progress
          className={styles.progress}
          value={files_done}
          max={Math.max(1, files_total)}
          aria-label="Reading the structure"
        />
      )}
      <KeyValue
        rows={[
          ['State', words],
          ['Files', files_total.toLocaleString('en')],
          ...languages.map(({ language, files }) => [language, files.toLocaleString('en')] as const),
          ...left_out.map(({ reason, files }) => [`Left out: ${reason}`, files.toLocaleString('en')] as const),
        ]}
      />
    </>
  );
}
