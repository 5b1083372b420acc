import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { PageHead } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { SelfRegistrationPanel } from '../../features/agents/self-registration-panel.js';
import { RulesPanel } from '../../features/conversations/asked/rules-panel.js';
import { WorktreesPanel } from '../../features/conversations/worktrees-panel.js';
import { AgreementsPanel } from '../../features/exposure/agreements-panel.js';
import { AboutPanel, HelpPanel } from '../../features/system/about-panel.js';
import { ClientsPanel } from '../../features/system/clients-panel.js';
import { DoctorPanel } from '../../features/system/doctor-panel.js';
import { HealthPanel } from '../../features/system/health-panel.js';
import { LogPanel } from '../../features/system/log-panel.js';
import { ForeignStatePanel, OtherUsersPanel } from '../../features/system/machine-panels.js';
import { NewWorktreesPanel } from '../../features/system/new-worktrees-panel.js';
import { PreferencesPanel } from '../../features/system/preferences-panel.js';
import { findPart, readLogSearch, SYSTEM_PARTS, type SystemPart } from '../../features/system/system-search.js';
import { TelemetryPanel } from '../../features/system/telemetry-panel.js';
import { TokensPanel } from '../../features/team/tokens-panel.js';
import { usePageTitle } from '../page-title.js';
import ShortcutSheet from '../shortcut-sheet.js';
import { MissingPage } from './missing-page.js';
import styles from './system-page.module.css';

const PARTS: Readonly<Record<SystemPart, { title: string; lede: string; Body: () => ReactNode }>> = {
  settings: {
    title: 'Settings',
    lede: 'How the dashboard looks and behaves, which models answer, where they work, and where traces go.',
    Body: Settings,
  },
  health: { title: 'Health', lede: 'What runs, what needs fixing, and what the index holds.', Body: Health },
  security: { title: 'Security', lede: 'Who may reach this daemon, and what was set aside.', Body: Security },
  log: { title: 'Log', lede: 'What the daemon wrote, newest first, without secrets.', Body: Log },
  about: { title: 'About', lede: 'Help, versions and licences.', Body: About },
};

/** One part of System. The address without a part, which earlier versions had, is replaced by that of its part. */
export function SystemPage() {
  const { part: named } = useParams({ strict: false });
  const search = readLogSearch({ ...useSearch({ strict: false }) });
  const navigate = useNavigate();
  const part = findPart(named, search);
  useEffect(() => {
    if (named === undefined && part !== undefined)
      void navigate({ to: '/system/$part', params: { part }, search: true, replace: true, resetScroll: false });
  }, [named, part, navigate]);
  if (part === undefined)
    return (
      <MissingPage title="There is no such page" name={named ?? ''} to="/system" words="Show the settings">
        System has the parts Settings, Health, Security, Log and About.
      </MissingPage>
    );
  return <PartPage key={part} part={part} />;
}

function PartPage({ part }: { part: SystemPart }) {
  const { title, lede, Body } = PARTS[part];
  usePageTitle(title);
  return (
    <>
      <PageHead title={title} lede={lede} />
      <nav aria-label="System" className={segments.segments}>
        {SYSTEM_PARTS.map((other) => (
          <Link
            key={other}
            to="/system/$part"
            params={{ part: other }}
            className={segments.segment}
            aria-current={other === part ? 'page' : undefined}
            activeOptions={{ includeSearch: false }}
          >
            {PARTS[other].title}
          </Link>
        ))}
      </nav>
      <Body />
    </>
  );
}

/** A panel. When it cannot be drawn, the others stay. */
function Panel({ of: what, children }: { of: string; children: ReactNode }) {
  return <ErrorBoundary what={`${what} could not be drawn.`}>{children}</ErrorBoundary>;
}

function Columns({ main, aside }: { main: ReactNode; aside: ReactNode }) {
  return (
    <div className={styles.columns}>
      <div className={styles.column}>{main}</div>
      <div className={styles.column}>{aside}</div>
    </div>
  );
}

function Settings() {
  const [hasSingleKeys, setHasSingleKeys] = useState<boolean>();
  return (
    <>
      <Columns
        main={
          <>
            <Panel of="The clients">
              <ClientsPanel />
            </Panel>
            <Panel of="The settings of worktrees">
              <NewWorktreesPanel />
            </Panel>
            <Panel of="The telemetry settings">
              <TelemetryPanel />
            </Panel>
          </>
        }
        aside={
          <Panel of="The preferences">
            <PreferencesPanel onShortcuts={setHasSingleKeys} />
          </Panel>
        }
      />
      {hasSingleKeys !== undefined && (
        <ShortcutSheet hasSingleKeys={hasSingleKeys} onClose={() => setHasSingleKeys(undefined)} />
      )}
    </>
  );
}

function Health() {
  return (
    <Columns
      main={
        <>
          <Panel of="The doctor’s report">
            <DoctorPanel />
          </Panel>
          <Panel of="The registrations">
            <SelfRegistrationPanel />
          </Panel>
          <Panel of="The worktrees">
            <WorktreesPanel />
          </Panel>
        </>
      }
      aside={
        <Panel of="The daemon’s health">
          <HealthPanel />
        </Panel>
      }
    />
  );
}

function Security() {
  return (
    <Columns
      main={
        <>
          <Panel of="The tokens">
            <TokensPanel />
          </Panel>
          <Panel of="The approvals">
            <AgreementsPanel />
          </Panel>
          <Panel of="The permission rules">
            <RulesPanel />
          </Panel>
        </>
      }
      aside={
        <>
          <Panel of="The adopted state">
            <ForeignStatePanel />
          </Panel>
          <Panel of="The other users">
            <OtherUsersPanel />
          </Panel>
        </>
      }
    />
  );
}

function Log() {
  const search = readLogSearch({ ...useSearch({ strict: false }) });
  const navigate = useNavigate({ from: '/system/$part' });
  return (
    <Panel of="The log">
      <LogPanel
        search={search}
        onSearch={(changed) =>
          navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false })
        }
      />
    </Panel>
  );
}

function About() {
  return (
    <Columns
      main={<HelpPanel />}
      aside={
        <Panel of="The versions">
          <AboutPanel />
        </Panel>
      }
    />
  );
}
