import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import styles from './doctor-panel.module.css';
import { versionsQuery } from './log-queries.js';

/** Help: the API reference, and what to include in a bug report. */
export function HelpPanel() {
  return (
    <Section title="Help">
      <ul className={styles.links}>
        <li>
          <Link to="/" search={{ about: 'shown' }}>
            What meshd is
          </Link>
          , in three sentences
        </li>
        <li>
          <a href="/docs">API reference</a>, <a href="/openapi.json">openapi.json</a>
        </li>
        <li>
          In a terminal: <code>meshd help</code>, and <code>meshd doctor</code> also checks what the daemon cannot.
        </li>
        <li className={styles.bundle}>
          <a href="/support-bundle" download="meshd-support.json" className={buttonClass()}>
            Download a support bundle
          </a>
          <span className="quiet small">
            Versions, health, the doctor’s report, member ids, registrations and the end of the log. No token, prompt,
            question or answer; local paths are replaced. It is not sent anywhere. Read it before you share it.
          </span>
          <InTerminal command="meshd support-bundle > meshd-support.json" />
        </li>
      </ul>
    </Section>
  );
}

/** Versions, and the licences of bundled software. */
export function AboutPanel() {
  const versions = useQuery(versionsQuery());
  return (
    <Section title="Versions">
      <Loaded query={versions} what="The versions could not be read." rows={5}>
        {({ meshd, node, sqlite, platform, revision }) => (
          <KeyValue
            rows={[
              ['meshd', meshd],
              ['Node.js', node],
              ['SQLite', sqlite],
              ['System', platform],
              ['Conventions', `revision ${revision}`],
            ]}
          />
        )}
      </Loaded>
      <ul className={styles.links}>
        <li>
          meshd is MIT licensed. No account, no telemetry, no requests to third parties.{' '}
          <a href="/licenses">Licences of bundled software</a>
        </li>
        <li>
          Set in Atkinson Hyperlegible Next and Mono, by the Braille Institute, under the SIL Open Font License 1.1.
        </li>
        <li>
          Place names from{' '}
          <a href="https://www.geonames.org/" target="_blank" rel="noopener noreferrer nofollow">
            GeoNames
          </a>
          , under{' '}
          <a href="https://creativecommons.org/licenses/by/4.0/" target="_blank" rel="noopener noreferrer nofollow">
            Creative Commons Attribution 4.0
          </a>
          : the larger places and capitals, their coordinates and sizes rounded. Outlines of the map from Natural Earth,
          in the public domain.
        </li>
      </ul>
    </Section>
  );
}
