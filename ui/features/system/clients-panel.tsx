import { useQuery } from '@tanstack/react-query';
import type { ClientInfo } from '../../../daemon/contract/clients.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import styles from './doctor-panel.module.css';
import { clientsQuery } from './system-queries.js';

/** What a ready client has to offer: its models and how hard they may think. */
function offerWords({ name, models, efforts }: ClientInfo): string {
  if (name === 'builtin') return 'no model, key or network: quotes from this project with their source';
  const offered = models.length > 0 ? models.join(', ') : 'its default model';
  return efforts.length > 0 ? `${offered} · effort ${efforts.join(', ')}` : offered;
}

/** What stands between backticks is to be typed as it is. */
function WithCode({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text are told apart by their place alone.
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

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
                  {client.reason === null ? offerWords(client) : <WithCode text={client.reason} />}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
