import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { PageHead } from '../../components/section.js';
import { SelfRegistrationPanel } from '../../features/agents/self-registration-panel.js';
import { AboutPanel, HelpPanel } from '../../features/system/about-panel.js';
import { ClientsPanel } from '../../features/system/clients-panel.js';
import { DoctorPanel } from '../../features/system/doctor-panel.js';
import { HealthPanel } from '../../features/system/health-panel.js';
import { LogPanel } from '../../features/system/log-panel.js';
import { PreferencesPanel } from '../../features/system/preferences-panel.js';
import { readSystemSearch } from '../../features/system/system-search.js';
import { TokensPanel } from '../../features/team/tokens-panel.js';
import { usePageTitle } from '../page-title.js';
import ShortcutSheet from '../shortcut-sheet.js';
import styles from './system-page.module.css';

const route = getRouteApi('/system');

export function SystemPage() {
  const { log } = readSystemSearch({ ...route.useSearch() });
  const navigate = useNavigate({ from: '/system' });
  const [hasSingleKeys, setHasSingleKeys] = useState<boolean>();
  usePageTitle('System');
  return (
    <>
      <PageHead title="System" />
      <div className={styles.columns}>
        <div className={styles.column}>
          <ErrorBoundary what="The doctor’s report could not be drawn.">
            <DoctorPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The registrations could not be drawn.">
            <SelfRegistrationPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The tokens could not be drawn.">
            <TokensPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The clients could not be drawn.">
            <ClientsPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The log could not be drawn.">
            <LogPanel
              from={log}
              onFrom={(from) =>
                void navigate({ search: (was) => ({ ...was, log: from }), replace: true, resetScroll: false })
              }
            />
          </ErrorBoundary>
        </div>
        <div className={styles.column}>
          <ErrorBoundary what="The preferences could not be drawn.">
            <PreferencesPanel onShortcuts={setHasSingleKeys} />
          </ErrorBoundary>
          <ErrorBoundary what="The daemon’s health could not be drawn.">
            <HealthPanel />
          </ErrorBoundary>
          <HelpPanel />
          <ErrorBoundary what="The versions could not be drawn.">
            <AboutPanel />
          </ErrorBoundary>
        </div>
      </div>
      {hasSingleKeys !== undefined && (
        <ShortcutSheet hasSingleKeys={hasSingleKeys} onClose={() => setHasSingleKeys(undefined)} />
      )}
    </>
  );
}
