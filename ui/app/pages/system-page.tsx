import { ErrorBoundary } from '../../components/error-boundary.js';
import { PageHead, Section } from '../../components/section.js';
import { HouseAgentsPanel } from '../../features/agents/house-agents-panel.js';
import { ClientsPanel } from '../../features/system/clients-panel.js';
import { DoctorPanel } from '../../features/system/doctor-panel.js';
import { HealthPanel } from '../../features/system/health-panel.js';
import { PreferencesPanel } from '../../features/system/preferences-panel.js';
import { TokensPanel } from '../../features/team/tokens-panel.js';
import { usePageTitle } from '../page-title.js';
import styles from './system-page.module.css';

export function SystemPage() {
  usePageTitle('System');
  return (
    <>
      <PageHead title="System" />
      <div className={styles.columns}>
        <div className={styles.column}>
          <ErrorBoundary what="The doctor’s report could not be drawn.">
            <DoctorPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The clients could not be drawn.">
            <ClientsPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The registrations could not be drawn.">
            <HouseAgentsPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The tokens could not be drawn.">
            <TokensPanel />
          </ErrorBoundary>
        </div>
        <div className={styles.column}>
          <ErrorBoundary what="The preferences could not be drawn.">
            <PreferencesPanel />
          </ErrorBoundary>
          <ErrorBoundary what="The daemon’s health could not be drawn.">
            <HealthPanel />
          </ErrorBoundary>
          <Section title="For programs">
            <ul className={styles.links}>
              <li>
                <a href="/docs">API reference</a>
              </li>
              <li>
                <a href="/openapi.json">openapi.json</a>
              </li>
            </ul>
          </Section>
          <Section title="About">
            <ul className={styles.links}>
              <li>meshd is MIT licensed. It sends nothing anywhere: no account, no telemetry, no request to a third party.</li>
              <li>Set in Atkinson Hyperlegible Next and Mono, by the Braille Institute, under the SIL Open Font License 1.1.</li>
              <li>
                Place names from{' '}
                <a href="https://www.geonames.org/" target="_blank" rel="noopener noreferrer">
                  GeoNames
                </a>
                , under{' '}
                <a href="https://creativecommons.org/licenses/by/4.0/" target="_blank" rel="noopener noreferrer">
                  Creative Commons Attribution 4.0
                </a>
                : the larger places and capitals, their coordinates and sizes rounded. Outlines of the map from Natural Earth, in the public
                domain.
              </li>
            </ul>
          </Section>
        </div>
      </div>
    </>
  );
}
