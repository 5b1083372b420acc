import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Badge, OpenBadge } from '../../components/badge.js';
import { buttonClass } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { PresenceMark } from '../../components/presence-mark.js';
import { PageHead } from '../../components/section.js';
import { Icon } from '../../components/text/icon.js';
import styles from '../../features/agents/agent.module.css';
import { AgentCallsPanel } from '../../features/agents/agent-calls-panel.js';
import { AgentFlag } from '../../features/agents/agent-flag.js';
import { hubRecordQuery, registrationsQuery, registryRecordQuery } from '../../features/agents/agents-queries.js';
import { CatalogPanel } from '../../features/agents/catalog-panel.js';
import { DiscoveryCard } from '../../features/agents/discovery-card.js';
import { PublicCardPanel } from '../../features/agents/public-card.js';
import { findMember } from '../../features/agents/self-registration-format.js';
import { getRegistrationState, type Records } from '../../features/agents/surface-format.js';
import { SurfacesPanel } from '../../features/agents/surfaces-panel.js';
import { CallSkillPanel } from '../../features/payments/calls/call-skill-panel.js';
import { ReputationPanel } from '../../features/reputation/reputation-panel.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePageTitle } from '../page-title.js';
import { MissingPage } from './missing-page.js';

const route = getRouteApi('/agents/$id');

export function AgentPage() {
  const { id } = route.useParams();
  return id.includes('/') ? <ForeignMemberView key={id} id={id} /> : <RegisteredAgent id={id} />;
}

/** A member of another running project, named `<project>/<member>`. Its own daemon has its records. */
function ForeignMemberView({ id }: { id: string }) {
  const { search, change } = useCallSearch();
  usePageTitle(id);
  return (
    <>
      <PageHead
        title={
          <span className={styles.title}>
            <AgentFlag id={id} size={40} isRaised />
            {toDisplayText(id)}
          </span>
        }
        lede="A member of another of your running projects. It is called and paid as its operator, without a token."
      />
      <div className="sections">
        <ErrorBoundary what="The call could not be drawn.">
          <CallSkillPanel agentId={id} skill={search.skill} call={search.call} onSearch={change} />
        </ErrorBoundary>
        <ErrorBoundary what="The card could not be drawn.">
          <PublicCardPanel agentId={id} isHosted={false} />
        </ErrorBoundary>
      </div>
    </>
  );
}

/** The chosen skill and the shown call, from the address, and what changes them. */
function useCallSearch() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/agents/$id' });
  const change = useCallback(
    (changed: { skill?: string | undefined; call?: string | undefined }) =>
      void navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  return { search, change };
}

function RegisteredAgent({ id }: { id: string }) {
  const hub = useQuery(hubRecordQuery(id));
  const v1 = useQuery(registryRecordQuery(id));
  usePageTitle(hub.data?.agent_id ?? v1.data?.agent_id ?? id);
  return (
    <Loaded query={hub} what="The hub’s record could not be loaded." rows={6}>
      {(onHub) => (
        <Loaded query={v1} what="The unified API’s record could not be read." rows={6}>
          {(onRegistry) => <AgentView key={id.toLowerCase()} id={id} records={{ hub: onHub, v1: onRegistry }} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function AgentView({ id, records }: { id: string; records: Records }) {
  const { hub, v1 } = records;
  const { search, change } = useCallSearch();
  const registrations = useQuery(registrationsQuery()).data?.registrations;
  const registration = getRegistrationState(records);
  if (registration === 'nowhere') {
    return (
      <MissingPage title="There is no such agent" name={id} to="/find" words="Find another">
        It was deregistered, was never registered here, or the address is mistyped.
      </MissingPage>
    );
  }
  const agentId = hub?.agent_id ?? v1?.agent_id ?? id;
  const member = findMember(registrations ?? [], agentId);
  const isRegistered = registration !== 'catalog only';
  return (
    <>
      <AgentHead agentId={agentId} records={records} isRegistered={isRegistered} member={member} />
      <div className={styles.columns}>
        <div className="sections">
          <SurfacesPanel agentId={agentId} records={records} />
          {isRegistered && <DiscoveryCard records={records} />}
          {v1?.catalog && <CatalogPanel entry={v1.catalog} />}
          <ErrorBoundary what="The reputation could not be drawn.">
            <ReputationPanel agentId={agentId} />
          </ErrorBoundary>
        </div>
        {isRegistered && (
          <div className="sections">
            <ErrorBoundary what="The call could not be drawn.">
              <CallSkillPanel agentId={agentId} skill={search.skill} call={search.call} onSearch={change} />
            </ErrorBoundary>
            <AgentCallsPanel agentId={agentId} records={records} member={member} />
            <ErrorBoundary what="The card could not be drawn.">
              <PublicCardPanel agentId={agentId} isHosted={member !== undefined} />
            </ErrorBoundary>
          </div>
        )}
      </div>
    </>
  );
}

interface AgentHeadProps {
  agentId: string;
  records: Records;
  isRegistered: boolean;
  /** The member of this project that it is, if any. */
  member: string | undefined;
}

function AgentHead({ agentId, records: { hub, v1 }, isRegistered, member }: AgentHeadProps) {
  const isOnline = hub?.online === true || v1?.live === true;
  const pitch =
    hub?.agent_card?.description ??
    v1?.agent_card?.description ??
    hub?.description ??
    v1?.description ??
    v1?.catalog?.description;
  return (
    <PageHead
      title={
        <span className={styles.title}>
          <AgentFlag id={agentId} size={40} isRaised={isOnline} />
          {toDisplayText(agentId)}
          {member !== undefined && <OpenBadge>member of this project</OpenBadge>}
          {(hub?.verified || v1?.verified) && <Badge tone="well">verified key</Badge>}
        </span>
      }
      lede={
        <>
          {pitch !== undefined && pitch !== null && <p>{toDisplayText(pitch)}</p>}
          <p role="status">
            {isRegistered ? (
              <PresenceMark isOnline={isOnline} />
            ) : (
              <span className="quiet">in a catalog, not registered</span>
            )}
          </p>
        </>
      }
      actions={
        isRegistered && (
          <a
            href={`/agent/${encodeURIComponent(agentId)}`}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass()}
          >
            Public page
            <Icon name="out" />
          </a>
        )
      }
    />
  );
}
