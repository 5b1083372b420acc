import { useQuery } from '@tanstack/react-query';
import type { Tier2Card, Tier2Result } from '../../../daemon/contract/network/site.js';
import { Button } from '../../components/button.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { BreakableText } from '../../components/text/breakable-text.js';
import { CodeBlock } from '../../components/text/code-block.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { OutsideLink } from '../../components/text/outside-link.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { toIsoTime } from '../../lib/format/epoch.js';
import { getCardPayment, listPriceRows } from '../payments/card-prices.js';
import { PriceTerms } from '../payments/price-terms.js';
import styles from './agent.module.css';
import { publicCardQuery } from './agents-queries.js';
import { CardFailure } from './card-failure.js';

/** The full card that the agent serves itself. It is fetched only on request: opening the page contacts no agent. */
export function PublicCardPanel({ agentId, isHosted }: { agentId: string; isHosted: boolean }) {
  const read = useQuery(publicCardQuery(agentId));
  const { data, error, isFetching } = read;
  return (
    <Section
      title="Public card"
      count="Full card"
      actions={
        data && (
          <Button isSmall isBusy={isFetching} onClick={() => void read.refetch()}>
            Reload
          </Button>
        )
      }
    >
      <div className={styles.card} aria-live="polite">
        {data ? (
          <Result result={data} />
        ) : (
          <div className="stack">
            <p className="quiet">
              {isHosted
                ? 'It is a member of this project. Its card is made from its file.'
                : 'The agent serves it at its endpoint. Reading it sends one request to that address, under the ' +
                  'outbound policy.'}
            </p>
            {error && <ErrorPanel what="The card was not read." error={error} />}
            <p>
              <Button isBusy={isFetching} onClick={() => void read.refetch()}>
                Read its public card
              </Button>
            </p>
          </div>
        )}
      </div>
    </Section>
  );
}

function Result({ result }: { result: Tier2Result }) {
  const { ok, url, hosted, fetched_at, card } = result;
  return (
    <div className="stack">
      <p className="quiet small">
        {hosted ? 'Made by this daemon' : 'Checked'} <ExactAgo at={toIsoTime(fetched_at)} />
        {url !== null && !hosted && (
          <>
            {' at '}
            <OutsideLink address={url} />
          </>
        )}
      </p>
      {ok && card ? <CardFacts card={card} /> : <CardFailure result={result} what="There is no card to show." />}
    </div>
  );
}

function CardFacts({ card }: { card: Tier2Card }) {
  const {
    name,
    version,
    description,
    url,
    protocols,
    defaultInputModes,
    defaultOutputModes,
    pricing,
    availability,
    skills,
  } = card;
  return (
    <>
      <KeyValue
        rows={[
          ['Name', `${toDisplayText(name)} ${toDisplayText(version)}`],
          [
            'Description',
            <span key="says" className={styles.paragraph}>
              <BreakableText text={description} />
            </span>,
          ],
          ['Address', <OutsideLink key="url" address={url} />],
          ['Protocols', toDisplayText(protocols.join(', ')) || 'none'],
          ['Accepts', toDisplayText(defaultInputModes.join(', ')) || 'not given'],
          ['Produces', toDisplayText(defaultOutputModes.join(', ')) || 'not given'],
          ['Available', availability.now ? 'now' : 'no, by its own statement'],
        ]}
      />
      <h3>Price</h3>
      <PriceTerms rows={listPriceRows(pricing)} payment={getCardPayment(card)} />
      <h3>
        {skills.length} {skills.length === 1 ? 'skill' : 'skills'}
      </h3>
      <ul className={styles.skills}>
        {skills.map(({ id, name: skill, description: does, examples = [] }) => (
          <li key={id}>
            <p>
              <strong>{toDisplayText(skill)}</strong> <span className="mono quiet">{toDisplayText(id)}</span>
            </p>
            <p className={styles.paragraph}>{toDisplayText(does)}</p>
            {examples.length > 0 && (
              <ul className={styles.examples}>
                {examples.slice(0, 4).map((example) => (
                  <li key={example}>{toDisplayText(example)}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      <details>
        <summary>The card as received</summary>
        <CodeBlock label="agent.json" text={JSON.stringify(card, null, 2)} />
      </details>
    </>
  );
}
