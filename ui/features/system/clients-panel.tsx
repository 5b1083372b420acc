import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import styles from './doctor-panel.module.css';
import { clientsQuery } from './system-queries.js';

/** What can run a member on this machine. */
export function ClientsPanel() {
  const clients = useQuery(clientsQuery());
  return (
    <Section title="Clients" count={clients.data ? `auto → ${clients.data.auto}` : undefined}>
      <Loaded query={clients} what="The clients could not be listed.">
        {(data) => (
          <ul className={rows.rows}>
            {data.clients.map((client) => (
              <li key={client.name} className={styles.client}>
                <span className="mono">{client.name}</span>
                {client.ready ? <Badge tone="well">ready</Badge> : <Badge>not ready</Badge>}
                <span className="quiet">
                  {client.reason ?? (client.models.length > 0 ? client.models.join(', ') : 'needs no model and no network')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
