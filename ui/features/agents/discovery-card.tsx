import type { Tier1Card } from '../../../daemon/contract/network/agents.js';
import { EmptyState, KeyValue, Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { OutsideLink } from '../../components/text/outside-link.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './agent.module.css';
import { Price } from './price.js';
import { cardDifferences, formatCardValue, type Records } from './surface-format.js';

const list = (words: readonly string[]) => toDisplayText(words.join(', '));

/**
 * The summary card that the agent has published, which is all that is stored of its offer. When both surfaces have one,
 * shows the hub's and the differences.
 */
export function DiscoveryCard({ records: { hub, v1 } }: { records: Records }) {
  const [card] = [hub?.agent_card, v1?.agent_card].flatMap((one) => one ?? []).sort(byFewerKeys);
  const differing = hub?.agent_card && v1?.agent_card ? cardDifferences(hub.agent_card, v1.agent_card) : [];
  return (
    <Section title="Discovery card" count="Summary card">
      {card ? <CardFacts card={card} /> : <EmptyState>It has published no card. Its skills are unknown.</EmptyState>}
      {hub?.agent_card && v1?.agent_card && differing.length > 0 && (
        <Notice tone="info">
          <p>The card in the directory /v1/agents differs:</p>
          <ul className={styles.differences}>
            {differing.map((key) => (
              <li key={key}>
                <strong>{toDisplayText(key)}</strong> {toDisplayText(formatCardValue(v1.agent_card?.[key]))}{' '}
                <span className="quiet">instead of {toDisplayText(formatCardValue(hub.agent_card?.[key]))}</span>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </Section>
  );
}

/** Sorts the card with the most keys first: one of the record says less than one that was published. */
const byFewerKeys = (a: object, b: object) => Object.keys(b).length - Object.keys(a).length;

function CardFacts({ card }: { card: Tier1Card }) {
  const {
    endpoint,
    description,
    tags = [],
    category,
    accepts = [],
    produces = [],
    protocols = [],
    pricing,
    availability,
  } = card;
  return (
    <KeyValue
      rows={[
        description !== undefined && ['Pitch', toDisplayText(description)],
        [
          'Endpoint',
          endpoint === undefined ? (
            <span key="e" className="quiet">
              none: it cannot be called
            </span>
          ) : (
            <OutsideLink key="e" address={endpoint} />
          ),
        ],
        ['Price', <Price key="price" pricing={pricing} explains />],
        protocols.length > 0 && ['Protocols', list(protocols)],
        accepts.length > 0 && ['Accepts', list(accepts)],
        produces.length > 0 && ['Produces', list(produces)],
        category !== undefined && ['Category', toDisplayText(category)],
        tags.length > 0 && ['Tags', list(tags)],
        availability && ['Available', availability.now ? 'now' : 'no, by its own statement'],
      ]}
    />
  );
}
