import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import type { Tier2Card } from '../../../../daemon/contract/network/site.js';
import { Button } from '../../../components/button.js';
import { SelectField } from '../../../components/field.js';
import { Section } from '../../../components/section.js';
import { ErrorPanel } from '../../../components/states.js';
import { ExactAgo } from '../../../components/text/exact-ago.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { toIsoTime } from '../../../lib/format/epoch.js';
import { publicCardQuery } from '../../agents/agents-queries.js';
import { CardFailure } from '../../agents/card-failure.js';
import styles from '../payments.module.css';
import { CallForm } from './call-form.js';
import { CallProgress } from './call-progress.js';
import { useSkillCall } from './use-skill-call.js';

interface CallSkillPanelProps {
  agentId: string;
  /** The chosen skill and the shown call, from the query. */
  skill: string | undefined;
  call: string | undefined;
  /** Must be referentially stable. */
  onSearch: (changed: { skill?: string | undefined; call?: string | undefined }) => void;
}

/**
 * Calls a skill of an agent and pays as its public card specifies. The daemon does both; the panel shows the progress
 * from 402 to 200.
 */
export function CallSkillPanel({ agentId, skill, call, onSearch }: CallSkillPanelProps) {
  const card = useQuery(publicCardQuery(agentId));
  const known = card.data?.card;
  const isAsked = useLocation({ select: ({ hash }) => hash === 'call' });
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAsked) panel.current?.focus();
  }, [isAsked]);
  return (
    <Section title="Call a skill">
      <div ref={panel} id="call" tabIndex={-1} className={styles.panel}>
        {call !== undefined ? (
          <CallProgress key={call} callId={call} onAgain={() => onSearch({ call: undefined })} />
        ) : known ? (
          <Chosen agentId={agentId} card={known} skill={skill} onSearch={onSearch} />
        ) : (
          <>
            {card.data ? (
              <CardFailure result={card.data} what="It cannot be called: its card was not read." />
            ) : (
              <p className="quiet">Its public card lists its skills, their input and their prices.</p>
            )}
            {card.error && <ErrorPanel what="The card was not read." error={card.error} />}
            <p>
              <Button isBusy={card.isFetching} onClick={() => void card.refetch()}>
                {card.data ? 'Read the card again' : 'Read the card to call it'}
              </Button>
            </p>
            {card.data && (
              <p className="small quiet">
                Checked <ExactAgo at={toIsoTime(card.data.fetched_at)} />. What was read is kept for up to a minute.
              </p>
            )}
          </>
        )}
      </div>
    </Section>
  );
}

function Chosen({
  agentId,
  card,
  skill,
  onSearch,
}: {
  agentId: string;
  card: Tier2Card;
  skill: string | undefined;
  onSearch: CallSkillPanelProps['onSearch'];
}) {
  const chosen = card.skills.find(({ id }) => id === skill) ?? card.skills[0];
  const onCall = useCallback((callId: string) => onSearch({ call: callId }), [onSearch]);
  const { submit, isPending, error } = useSkillCall(onCall);
  if (!chosen) return <p className="quiet">Its card has no skills to call.</p>;
  return (
    <>
      {card.skills.length > 1 && (
        <SelectField
          label="Skill"
          value={chosen.id}
          options={card.skills.map(({ id, name }) => ({ value: id, label: toDisplayText(name) }))}
          onChange={(event) => onSearch({ skill: event.target.value })}
        />
      )}
      <p>
        <strong>{toDisplayText(chosen.name)}</strong> <span className="mono quiet">{toDisplayText(chosen.id)}</span>
      </p>
      <CallForm
        key={chosen.id}
        agentId={agentId}
        card={card}
        skill={chosen}
        onCall={submit}
        isBusy={isPending}
        error={error}
      />
    </>
  );
}
