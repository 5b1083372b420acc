import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Health } from '../../../daemon/contract/system.js';
import { Loaded } from '../../components/loaded.js';
import { healthQuery } from '../../features/system/system-queries.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { useNow } from '../../lib/use-now.js';
import styles from './desk.module.css';

/** The daemon in one line: version, uptime, store and index. */
export function HealthLine() {
  const health = useQuery(healthQuery());
  return (
    <Loaded query={health} what="The daemon’s health could not be read." rows={1}>
      {(data) => <HealthText health={data} />}
    </Loaded>
  );
}

function HealthText({ health }: { health: Health }) {
  const now = useNow(60_000);
  const { knowledge } = health;
  const upMs = Math.max(1, Math.floor((now - Date.parse(health.started_at)) / 60_000)) * 60_000;
  const index = {
    idle: 'index idle',
    indexing: `indexing ${knowledge.files_done} of ${knowledge.files_total} files`,
    ready: `${knowledge.files_total} files indexed`,
    failed: 'index failed',
  }[knowledge.state];
  return (
    <p className={styles.health}>
      meshd {health.version} · up {formatDuration(upMs)} · store {health.store} · {index}
      {knowledge.commit && ` at ${knowledge.commit.slice(0, 7)}`} · {health.members} members
      {health.members_broken > 0 && `, ${health.members_broken} broken`} ·{' '}
      <Link to="/system/$part" params={{ part: 'health' }}>
        Health
      </Link>
    </p>
  );
}
