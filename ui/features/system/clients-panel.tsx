import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ClientInfo } from '../../../daemon/contract/clients.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import styles from './doctor-panel.module.css';
import { clientsQuery } from './system-queries.js';

/** Describes an available client: its models and effort levels. */
function formatOffer({ name, models, efforts }: ClientInfo): string {
  if (name === 'builtin') return 'no model, key or network: quotes from this project with their source';
  const offered = models.length > 0 ? models.join(', ') : 'its default model';
  return efforts.length > 0 ? `${offered} · effort ${efforts.join(', ')}` : offered;
}

/** Renders the parts of a text between backticks as code. */
function WithCode({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text are identified by their position.
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** The clients on this machine that can run a member. */
export function ClientsPanel() {
  const clients = useQuery(clientsQuery());
  return (
    <Section
      title="Clients"
      count={clients.data && (clients.data.model_connected ? `auto → ${clients.data.auto}` : 'search only')}
      actions={<Link to="/models">{clients.data?.model_connected ? 'Change the model' : 'Connect a model'}</Link>}
    >
      <Loaded query={clients} what="The clients could not be listed.">
        {(data) => (
          <>
            <p className="small">
              What they may spend in a day is limited under{' '}
              <Link to="/requests" search={{ tab: 'usage' }}>
                Budgets
              </Link>
              .
            </p>
            <ul className={rows.rows}>
              {data.clients.map((client) => (
                <li key={client.name} className={styles.client}>
                  <span className="mono">{client.name}</span>
                  {client.ready ? <Badge tone="well">ready</Badge> : <Badge>not ready</Badge>}
                  <span className="quiet">
                    {client.reason === null ? formatOffer(client) : <WithCode text={client.reason} />}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}
